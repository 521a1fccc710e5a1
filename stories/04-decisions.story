# A team decides, changes its mind for a reason, and can tell later how it came to be.

# Something is decided, and why.
> record_decision {"title": "Use PostgreSQL for production", "target": "database",
    "rationale": "ACID compliance and proven reliability under load.",
    "consequences": ["Set up connection pooling"], "confidence": 0.7}
< {"fid": "$pg", "status": "created", "message": "Decision recorded successfully", "conflicts": []}

# Who decides the same matter again is told, and nothing is written.
> record_decision {"title": "Use MySQL for production", "target": "database",
    "rationale": "MySQL is what the team knows best and replication is easy."}
< {"status": "conflict", "message": "Similar decision exists. Use supersede_decision to replace it.",
    "conflicts": [{"fid": "$pg", "title": "Use PostgreSQL for production", "similarity": "$*"}]}

# It can be proposed, though, and turned down; that is remembered, too.
> record_decision {"kind": "proposal", "title": "Use MySQL for production", "target": "database",
    "rationale": "MySQL is what the team knows best and replication is easy."}
< {"fid": "$mysql", "status": "created", "...": 0}
> reject_proposal {"fid": "$mysql"}
< {"fid": "$mysql", "status": "rejected", "message": "Proposal rejected"}

# A hook puts before the model what was decided, as notes and not as instructions.
> get_context_for_prompt {"prompt": "Which PostgreSQL should production use?"}
< {"context": "$*not instructions$*Use PostgreSQL for production$*decision_$*.md\n", "source": "ledgermind",
    "memories": [{"id": "$pg", "kind": "decision", "procedural_guide": ["1. Set up connection pooling"],
    "instruction": "$*get_decision_history$*", "...": 0}]}

# What was done afterwards speaks for the decision, which grows surer by a fifth.
> bridge-record {"prompt": "Does PostgreSQL hold in production?",
    "response": "Yes: PostgreSQL was reliable under the load of the sale."}
< {"event_id": "$sale", "linked_decisions": ["$pg"]}
> get_decisions {"target": "database", "status": "active"}
< {"decisions": [{"fid": "$pg", "confidence": 0.84, "evidence": ["$sale"], "...": 0}], "total": 1}

# The team learns more. The old decision stays readable and says what took its place.
> supersede_decision {"fid": "$pg", "title": "Use PostgreSQL 15 with UUID keys", "target": "database",
    "rationale": "UUID keys avoid conflicts between regions.", "confidence": 0.9}
< {"new_fid": "$uuid", "old_fid": "$pg", "status": "superseded", "...": 0}
> search_decisions {"query": "PostgreSQL", "mode": "fuzzy"}
< {"results": [{"fid": "$uuid", "...": 0}], "total": 1}
> get_decision_history {"fid": "$pg"}
< {"current": {"fid": "$uuid", "evidence": ["$sale"], "supersedes": "$pg", "...": 0},
    "history": [{"fid": "$pg", "superseded_by": "$uuid", "status": "superseded",
    "reason": "UUID keys avoid conflicts between regions.", "...": 0}]}

# Everything that happened is told, newest first; and git has a commit of every change.
> get_recent_events {"limit": 2}
< {"events": [{"kind": "decision_change", "linked_ids": ["$uuid", "$pg"], "...": 0},
    {"id": "$sale", "kind": "agent_action", "linked_ids": ["$pg"], "...": 0}], "total": 5}
> sync_git {}
< {"commit_hash": "$*", "files_committed": 0, "message": "Nothing to commit"}

# Who may only write cannot change what was decided.
@ caller user=ada role=user
> forget {"fid": "$uuid"}
<! {"error": {"code": "FORBIDDEN", "message": "forget needs the role admin; this caller is user",
    "details": {"status": 403}}}

# A store can be closed to tools: people edit the files, tools may still record and propose.
@ trust human_only
> record_decision {"kind": "proposal", "title": "Log in JSON", "target": "logs",
    "rationale": "Machines read our logs more often than people do."}
< {"fid": "$json", "status": "created", "...": 0}
> accept_proposal {"fid": "$json"}
<! {"error": {"code": "FORBIDDEN", "message": "$*HUMAN_ONLY$*", "details": {"status": 403}}}
