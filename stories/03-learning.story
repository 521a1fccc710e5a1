# A memory proves itself, becomes a golden rule and is protected from then on, whoever asks.

> memory_store {"content": "Run the linter before every commit", "memory_type": "pattern",
    "namespace": "global", "importance": 0.8}
< {"success": true, "data": {"id": "$lint", "content_hash": "$*", "namespace": "global",
    "memory_type": "pattern", "duplicate": false, "confidence": 0.3}}
> memory_store {"content": "Run the linter before every commit"}
< {"success": true, "data": {"id": "$lint", "duplicate": true, "...": 0}}

# The other contracts see it in their own words.
> memory_search {"query": "linter before commit"}
< {"results": [{"memoryId": "$lint", "layer": "user", "...": 0}], "...": 0}
> query_memories {"type": "learning"}
< {"memories": [{"id": "$lint", "importance": "high", "...": 0}], "total": 1, "...": 0}

# It is used, and it helps.
> memory_apply {"memory_id": "$lint", "context": "before pushing the login page"}
< {"success": true, "data": {"memory_id": "$lint", "event_id": "$*"}}
> memory_outcome {"memory_id": "$lint", "success": true}
< {"data": {"old_confidence": 0.3, "new_confidence": 0.4, "promoted": false, "...": 0}, "...": 0}
> memory_validate {"memory_id": "$lint", "was_helpful": true}
< {"data": {"new_confidence": 0.5, "...": 0}, "...": 0}
> memory_validate {"memory_id": "$lint", "was_helpful": true}
< {"data": {"new_confidence": 0.6, "...": 0}, "...": 0}
> memory_validate {"memory_id": "$lint", "was_helpful": true}
< {"data": {"new_confidence": 0.7, "...": 0}, "...": 0}
> memory_validate {"memory_id": "$lint", "was_helpful": true}
< {"data": {"new_confidence": 0.8, "...": 0}, "...": 0}
> memory_validate {"memory_id": "$lint", "was_helpful": true}
< {"data": {"new_confidence": 0.9, "promoted": true, "new_type": "golden_rule", "...": 0}, "...": 0}
> validation_history {"memory_id": "$lint", "limit": 2}
< {"data": {"events": [{"event_type": "succeeded", "...": 0}, {"event_type": "succeeded", "...": 0}],
    "summary": {"total_events": 7, "applied": 1, "succeeded": 6, "failed": 0, "success_rate": 1, "...": 0}},
    "...": 0}

# No way of deleting by the way leads to it.
> memory_delete {"memoryId": "$lint"}
<! {"success": false, "errorCode": "UNAUTHORIZED", "message": "$*", "retryable": false}
> delete_memory {"id": "$lint"}
<! {"error": {"code": "PERMISSION_ERROR", "message": "$*"}}
> memory_forget {"memory_id": "$lint"}
< {"success": true, "data": {"deleted_ids": [], "deleted_count": 0, "protected_ids": ["$lint"]}}

# Two facts that cannot both hold are found, and one takes the place of the other.
> memory_store {"content": "The API rate limit is 100 requests per minute", "memory_type": "fact"}
< {"data": {"id": "$old", "...": 0}, "...": 0}
> memory_store {"content": "The API rate limit is 60 requests per minute", "memory_type": "fact"}
< {"data": {"id": "$new", "...": 0}, "...": 0}
> memory_analyze_health {}
< {"data": {"total_memories": 3, "health_score": 95, "contradictions": [{"id1": "$new", "id2": "$old",
    "...": 0}], "...": 0}, "...": 0}
> memory_detect_contradictions {"memory_id": "$new"}
< {"data": {"contradictions": [{"memory_id": "$old", "...": 0}], "edges_created": 1, "...": 0}, "...": 0}
> memory_relate {"source_id": "$new", "target_id": "$old", "relation": "supersedes"}
< {"success": true, "data": {"edge_id": "$edge"}}
> memory_inspect_graph {"memory_id": "$new", "direction": "outgoing"}
< {"success": true, "origin_id": "$new", "stats": {"total_nodes": 2, "total_edges": 2, "...": 0}, "...": 0}
> memory_analyze_health {}
< {"data": {"health_score": 100, "contradictions": [], "...": 0}, "...": 0}
> memory_edge_forget {"edge_id": "$edge"}
< {"data": {"deleted_ids": ["$edge"], "deleted_count": 1}, "...": 0}

# What to know, within a budget.
> memory_context {"query": "linter before commit", "token_budget": 60}
< {"success": true, "data": {"context": "## Relevant Memories\n\n### Golden Rules (High Confidence)\n- Run the linter before every commit [confidence: 0.9]",
    "token_estimate": "$*", "memory_count": 1, "golden_rule_count": 1}}

> memory_count {"memory_type": "fact"}
< {"data": {"count": 2, "...": 0}, "...": 0}
> memory_list {"order_by": "confidence", "limit": 1}
< {"data": {"memories": [{"id": "$lint", "memory_type": "golden_rule", "...": 0}], "total": 3, "...": 0},
    "...": 0}
> memory_forget {"memory_id": "$lint", "force": true}
< {"data": {"deleted_ids": ["$lint"], "...": 0}, "...": 0}
