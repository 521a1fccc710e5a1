# What one contract keeps, the other finds, changes and deletes: there is one memory.

> memory_add {"content": "The staging database is reset every night", "layer": "project",
    "tags": ["database", "staging"]}
< {"success": true, "memoryId": "$reset", "message": "Memory stored successfully"}

> store_memory {"type": "core", "content": "User prefers pytest over unittest",
    "tags": ["python"], "importance": "high"}
< {"id": "$pytest", "created": true, "memory": {"id": "$pytest", "type": "core",
    "content": "User prefers pytest over unittest", "tags": ["python"],
    "importance": "high", "archived": false, "created_at": "$created", "updated_at": "$created",
    "accessed_at": "$created", "access_count": 0}}

# Layers find the note, in the user's layer and under the other spelling of its id.
> memory_search {"query": "pytest or unittest"}
< {"success": true, "results": [{"content": "User prefers pytest over unittest", "layer": "user",
    "score": "$*", "memoryId": "$pytest", "tags": ["python"]}], "totalCount": 1,
    "searchedLayers": ["agent", "user", "session", "project", "team", "org", "company"]}

# Notes list what layers kept.
> query_memories {"tags": ["staging"]}
< {"memories": [{"id": "$reset", "type": "core", "importance": "medium", "...": 0}], "total": 1,
    "limit": 10, "offset": 0, "has_more": false}

# And change it; layers see the change at once.
> update_memory {"id": "$reset", "content": "The staging database is reset every Sunday"}
< {"memory": {"content": "The staging database is reset every Sunday", "access_count": "$*",
    "...": 0}, "updated_fields": ["content"]}
> memory_search {"query": "staging sunday"}
< {"results": [{"content": "The staging database is reset every Sunday", "layer": "project",
    "memoryId": "$reset", "...": 0}], "totalCount": 1, "...": 0}

# What is archived is out of every search, and comes back.
> delete_memory {"id": "$reset"}
< {"success": true, "action": "archived", "id": "$reset"}
> memory_search {"query": "staging sunday"}
< {"results": [], "totalCount": 0, "...": 0}
> update_memory {"id": "$reset", "archived": false}
< {"updated_fields": ["archived"], "...": 0}
> memory_search {"query": "staging sunday"}
< {"totalCount": 1, "...": 0}

# Deleted through one, gone for the other.
> memory_delete {"memoryId": "$pytest"}
< {"success": true, "message": "Memory deleted successfully"}
> update_memory {"id": "$pytest", "importance": "low"}
<! {"error": {"code": "NOT_FOUND", "message": "$*"}}

> get_memory_stats {}
< {"total_memories": 1, "by_type": {"core": 1, "learning": 0, "task": 0}, "archived_count": 0,
    "top_tags": [{"tag": "database", "count": 1}, {"tag": "staging", "count": 1}], "...": 0}
