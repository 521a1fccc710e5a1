# What is known of things, and until when it was true.

> add_memory_link {"from": "Heron", "relation": "uses", "to": "MySQL", "summary": "The billing service"}
< {"text": "Added: Heron -[uses]-> MySQL", "created": {"from": true, "to": true, "link": true}, "...": 0}

# The same fact again changes nothing.
> add_memory_link {"from": "Heron", "relation": "uses", "to": "MySQL"}
< {"created": {"from": false, "to": false, "link": false}, "...": 0}

# Agents that speak another dialect find it by searching.
> memory_search {"query": "Which database does Heron use?"}
< {"results": [{"content": "Heron uses MySQL", "layer": "user", "...": 0}, "..."], "...": 0}

# Things change. What was true stays known as what was true.
> get_memory_object {"name": "Heron"}
< {"summary": "The billing service", "outgoing": [{"to": "MySQL", "valid_at": "$began", "...": 0}], "incoming": [], "total": 1, "...": 0}
> invalidate_memory_link {"from": "Heron", "relation": "uses", "to": "MySQL"}
< {"invalid_at": "$ended", "...": 0}
> add_memory_link {"from": "Heron", "relation": "uses", "to": "PostgreSQL"}
< {"created": {"from": false, "to": true, "link": true}, "...": 0}
> get_memory_object {"name": "Heron"}
< {"outgoing": [{"to": "PostgreSQL", "...": 0}], "total": 1, "...": 0}
> get_memory_object {"name": "Heron", "as_of": "$began"}
< {"outgoing": [{"to": "MySQL", "invalid_at": "$ended", "...": 0}], "total": 1, "...": 0}
> memory_search {"query": "Which database does Heron use?", "limit": 1}
< {"results": [{"content": "Heron uses PostgreSQL", "...": 0}], "...": 0}

# What is known of a thing itself can be put right, and a thing can go with all its links.
> update_memory_object {"name": "PostgreSQL", "newType": "database"}
< {"type": "database", "updated": true, "...": 0}
> delete_memory_object {"name": "MySQL", "cascade": false}
<! {"success": false, "error": "Memory object MySQL has 1 links; delete them first, or give cascade: true"}
> delete_memory_object {"name": "MySQL"}
< {"links": 1, "...": 0}
