# Two people of one team share the team's layer, and nothing else.

@ caller user=ada team=blue role=user
> memory_add {"content": "Ada's laptop password hint is in her notebook"}
< {"memoryId": "$private", "...": 0}
> memory_add {"content": "Releases are cut on Thursdays", "layer": "team"}
< {"memoryId": "$shared", "...": 0}

@ caller user=bob team=blue role=user
> memory_search {"query": "releases thursdays"}
< {"results": [{"memoryId": "$shared", "layer": "team", "...": 0}], "totalCount": 1, "...": 0}
> memory_search {"query": "laptop password notebook", "threshold": 0}
< {"results": [], "totalCount": 0, "...": 0}
> memory_delete {"memoryId": "$private"}
<! {"success": false, "errorCode": "NOT_FOUND", "message": "$*", "retryable": false}
> delete_memory {"id": "$private", "permanent": true}
<! {"error": {"code": "NOT_FOUND", "message": "$*"}}

# A guest reads what the team knows and changes nothing.
@ caller user=eve team=blue role=guest
> memory_search {"query": "releases thursdays"}
< {"totalCount": 1, "...": 0}
> memory_add {"content": "Releases are cut on Fridays", "layer": "team"}
<! {"success": false, "errorCode": "UNAUTHORIZED", "message": "$*", "retryable": false}
> delete_memory {"id": "$shared"}
<! {"error": {"code": "PERMISSION_ERROR", "message": "$*"}}
