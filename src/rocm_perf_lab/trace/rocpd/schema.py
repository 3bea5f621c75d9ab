"""The rocpd schema, version 3: tables with their columns, and the views over them.

Physical tables are called ``<name>_<uuid>``; a view of the bare name shows the rows of all
processes. The views answer the questions that users and AMD's own tools ask of a database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

SCHEMA_VERSION = "3"
SCHEMA_VERSION_WITH_GRAPHS = "3.0.2"  # adds graph ids to dispatches

_EXTDATA = "extdata TEXT NOT NULL DEFAULT '{}'"

# Every table also has "id INTEGER PRIMARY KEY" and, except the metadata, "guid".
TABLES = {
    "rocpd_metadata": "tag TEXT NOT NULL, value TEXT NOT NULL",
    "rocpd_string": "string TEXT NOT NULL UNIQUE",
    "rocpd_info_node": "hash BIGINT NOT NULL UNIQUE, machine_id TEXT NOT NULL, system_name TEXT, "
    "hostname TEXT, release TEXT, version TEXT, hardware_name TEXT, domain_name TEXT",
    "rocpd_info_process": "nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, init BIGINT, "
    "fini BIGINT, start BIGINT, end BIGINT, command TEXT, "
    f"environment TEXT NOT NULL DEFAULT '{{}}', {_EXTDATA}",
    "rocpd_info_thread": "nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, "
    f"tid INTEGER NOT NULL, name TEXT, start BIGINT, end BIGINT, {_EXTDATA}",
    "rocpd_info_agent": "nid INTEGER NOT NULL, pid INTEGER NOT NULL, type TEXT, "
    "absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, uuid INTEGER, name TEXT, "
    f"model_name TEXT, vendor_name TEXT, product_name TEXT, user_name TEXT, {_EXTDATA}",
    "rocpd_info_queue": f"nid INTEGER NOT NULL, pid INTEGER NOT NULL, name TEXT, {_EXTDATA}",
    "rocpd_info_stream": f"nid INTEGER NOT NULL, pid INTEGER NOT NULL, name TEXT, {_EXTDATA}",
    "rocpd_info_pmc": "nid INTEGER NOT NULL, pid INTEGER NOT NULL, agent_id INTEGER, "
    "target_arch TEXT, event_code INTEGER, instance_id INTEGER, name TEXT NOT NULL, "
    "symbol TEXT NOT NULL, description TEXT, long_description TEXT DEFAULT '', component TEXT, "
    "units TEXT DEFAULT '', value_type TEXT, block TEXT, expression TEXT, is_constant INTEGER, "
    f"is_derived INTEGER, {_EXTDATA}",
    "rocpd_info_code_object": "nid INTEGER NOT NULL, pid INTEGER NOT NULL, agent_id INTEGER, "
    f"uri TEXT, load_base BIGINT, load_size BIGINT, load_delta BIGINT, storage_type TEXT, "
    f"{_EXTDATA}",
    "rocpd_info_kernel_symbol": "nid INTEGER NOT NULL, pid INTEGER NOT NULL, "
    "code_object_id INTEGER, kernel_name TEXT, display_name TEXT, kernel_object INTEGER, "
    "kernarg_segment_size INTEGER, kernarg_segment_alignment INTEGER, group_segment_size INTEGER, "
    "private_segment_size INTEGER, sgpr_count INTEGER, arch_vgpr_count INTEGER, "
    f"accum_vgpr_count INTEGER, {_EXTDATA}",
    "rocpd_track": f"nid INTEGER NOT NULL, pid INTEGER, tid INTEGER, name_id INTEGER, {_EXTDATA}",
    "rocpd_event": "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, "
    "correlation_id INTEGER, call_stack TEXT NOT NULL DEFAULT '{}', "
    f"line_info TEXT NOT NULL DEFAULT '{{}}', {_EXTDATA}",
    "rocpd_arg": "event_id INTEGER NOT NULL, position INTEGER NOT NULL, type TEXT NOT NULL, "
    f"name TEXT NOT NULL, value TEXT, {_EXTDATA}",
    "rocpd_pmc_event": "event_id INTEGER, pmc_id INTEGER NOT NULL, value REAL DEFAULT 0.0, "
    f"{_EXTDATA}",
    "rocpd_region": "nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER, "
    f"start BIGINT NOT NULL, end BIGINT NOT NULL, name_id INTEGER NOT NULL, event_id INTEGER, "
    f"{_EXTDATA}",
    "rocpd_sample": f"track_id INTEGER NOT NULL, timestamp BIGINT NOT NULL, event_id INTEGER, "
    f"{_EXTDATA}",
    "rocpd_kernel_dispatch": "nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER, "
    "agent_id INTEGER, kernel_id INTEGER NOT NULL, dispatch_id INTEGER, queue_id INTEGER, "
    "stream_id INTEGER, start BIGINT NOT NULL, end BIGINT NOT NULL, private_segment_size INTEGER, "
    "group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, "
    "workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, "
    f"region_name_id INTEGER, event_id INTEGER, {_EXTDATA}",
    "rocpd_memory_copy": "nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER, "
    "start BIGINT NOT NULL, end BIGINT NOT NULL, name_id INTEGER NOT NULL, dst_agent_id INTEGER, "
    "dst_address INTEGER, src_agent_id INTEGER, src_address INTEGER, size INTEGER, "
    "queue_id INTEGER, stream_id INTEGER, region_name_id INTEGER, event_id INTEGER, "
    f"{_EXTDATA}",
    "rocpd_memory_allocate": "nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER, "
    "agent_id INTEGER, type TEXT, level TEXT, start BIGINT NOT NULL, end BIGINT NOT NULL, "
    "address INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER, "
    f"{_EXTDATA}",
}

_CATEGORY = (
    "(SELECT string FROM rocpd_string AS cs WHERE cs.id = e.category_id AND cs.guid = e.guid)"
)
_AGENT = (
    "{0}.absolute_index AS {1}agent_abs_index, {0}.logical_index AS {1}agent_log_index, "
    "{0}.type_index AS {1}agent_type_index, {0}.type AS {1}agent_type"
)


def _join(table: str, alias: str, condition: str, kind: str = "JOIN") -> str:
    """A join inside one process: ids are unique only together with the guid."""
    other = condition.split("=")[1].strip().split(".")[0]
    return f"{kind} {table} AS {alias} ON {condition} AND {alias}.guid = {other}.guid"


VIEWS = {
    "kernels": f"""
        SELECT k.id, k.guid, k.tid, {_CATEGORY} AS category, r.string AS region,
            s.display_name AS name, k.nid, k.pid, {_AGENT.format("a", "")},
            s.code_object_id, k.kernel_id, k.dispatch_id, k.stream_id, k.queue_id,
            q.name AS queue, st.name AS stream, k.start, k.end, k.end - k.start AS duration,
            k.grid_size_x AS grid_x, k.grid_size_y AS grid_y, k.grid_size_z AS grid_z,
            k.workgroup_size_x AS workgroup_x, k.workgroup_size_y AS workgroup_y,
            k.workgroup_size_z AS workgroup_z, k.group_segment_size AS lds_size,
            k.private_segment_size AS scratch_size, s.arch_vgpr_count AS vgpr_count,
            s.accum_vgpr_count, s.sgpr_count, s.group_segment_size AS static_lds_size,
            s.private_segment_size AS static_scratch_size, e.stack_id, e.parent_stack_id,
            e.correlation_id AS corr_id
        FROM rocpd_kernel_dispatch AS k
        {_join("rocpd_info_kernel_symbol", "s", "s.id = k.kernel_id")}
        {_join("rocpd_event", "e", "e.id = k.event_id")}
        {_join("rocpd_info_agent", "a", "a.id = k.agent_id", "LEFT JOIN")}
        {_join("rocpd_string", "r", "r.id = k.region_name_id", "LEFT JOIN")}
        {_join("rocpd_info_queue", "q", "q.id = k.queue_id", "LEFT JOIN")}
        {_join("rocpd_info_stream", "st", "st.id = k.stream_id", "LEFT JOIN")}""",
    "regions": f"""
        SELECT r.id, r.guid, {_CATEGORY} AS category, n.string AS name, r.nid, r.pid, r.tid,
            r.start, r.end, r.end - r.start AS duration, r.event_id, e.stack_id,
            e.parent_stack_id, e.correlation_id AS corr_id, e.extdata, e.call_stack, e.line_info
        FROM rocpd_region AS r
        {_join("rocpd_event", "e", "e.id = r.event_id")}
        {_join("rocpd_string", "n", "n.id = r.name_id")}""",
    "region_args": f"""
        SELECT r.id, r.guid, r.nid, r.pid, g.type, g.name, g.value
        FROM rocpd_region AS r
        {_join("rocpd_arg", "g", "g.event_id = r.event_id")}""",
    "memory_copies": f"""
        SELECT m.id, m.guid, {_CATEGORY} AS category, m.nid, m.pid, m.tid, m.start, m.end,
            m.end - m.start AS duration, n.string AS name, m.stream_id, m.queue_id,
            st.name AS stream_name, m.size, d.name AS dst_device, {_AGENT.format("d", "dst_")},
            m.dst_address, o.name AS src_device, {_AGENT.format("o", "src_")}, m.src_address,
            e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id
        FROM rocpd_memory_copy AS m
        {_join("rocpd_string", "n", "n.id = m.name_id")}
        {_join("rocpd_event", "e", "e.id = m.event_id")}
        {_join("rocpd_info_agent", "d", "d.id = m.dst_agent_id", "LEFT JOIN")}
        {_join("rocpd_info_agent", "o", "o.id = m.src_agent_id", "LEFT JOIN")}
        {_join("rocpd_info_stream", "st", "st.id = m.stream_id", "LEFT JOIN")}""",
    "memory_allocations": f"""
        SELECT m.id, m.guid, {_CATEGORY} AS category, m.nid, m.pid, m.tid, m.start, m.end,
            m.end - m.start AS duration, m.type, m.level, a.name AS agent_name,
            {_AGENT.format("a", "")}, m.address, m.size, m.queue_id, m.stream_id, e.stack_id,
            e.parent_stack_id, e.correlation_id AS corr_id
        FROM rocpd_memory_allocate AS m
        {_join("rocpd_event", "e", "e.id = m.event_id")}
        {_join("rocpd_info_agent", "a", "a.id = m.agent_id", "LEFT JOIN")}""",
    "counters_collection": f"""
        SELECT MIN(v.id) AS id, v.guid, k.dispatch_id, k.kernel_id, k.event_id, e.correlation_id,
            e.stack_id, e.parent_stack_id, k.pid, k.tid, k.agent_id, {_AGENT.format("a", "")},
            k.queue_id, k.grid_size_x, k.grid_size_y, k.grid_size_z,
            k.grid_size_x * k.grid_size_y * k.grid_size_z AS grid_size,
            s.display_name AS kernel_name, k.workgroup_size_x, k.workgroup_size_y,
            k.workgroup_size_z,
            k.workgroup_size_x * k.workgroup_size_y * k.workgroup_size_z AS workgroup_size,
            k.group_segment_size AS lds_block_size, k.private_segment_size AS scratch_size,
            s.arch_vgpr_count AS vgpr_count, s.accum_vgpr_count, s.sgpr_count,
            p.name AS counter_name, p.symbol AS counter_symbol, p.component, p.description,
            p.block, p.expression, p.value_type, p.id AS counter_id, SUM(v.value) AS value,
            k.start, k.end, p.is_constant, p.is_derived, k.end - k.start AS duration,
            {_CATEGORY} AS category, k.nid, e.extdata, s.code_object_id
        FROM rocpd_pmc_event AS v
        {_join("rocpd_info_pmc", "p", "p.id = v.pmc_id")}
        {_join("rocpd_kernel_dispatch", "k", "k.event_id = v.event_id")}
        {_join("rocpd_event", "e", "e.id = k.event_id")}
        {_join("rocpd_info_kernel_symbol", "s", "s.id = k.kernel_id")}
        {_join("rocpd_info_agent", "a", "a.id = k.agent_id", "LEFT JOIN")}
        GROUP BY v.guid, k.dispatch_id, p.name, k.agent_id""",
    # Times of the summaries are in microseconds.
    "top_kernels": f"""
        SELECT s.display_name AS name, COUNT(*) AS total_calls,
            SUM(k.end - k.start) / 1000.0 AS total_duration,
            SUM(k.end - k.start) / COUNT(*) / 1000.0 AS average,
            SUM(k.end - k.start) * 100.0
                / (SELECT SUM(end - start) FROM rocpd_kernel_dispatch) AS percentage
        FROM rocpd_kernel_dispatch AS k
        {_join("rocpd_info_kernel_symbol", "s", "s.id = k.kernel_id")}
        GROUP BY name ORDER BY total_duration DESC""",
    "busy": """
        WITH work AS (
            SELECT guid, agent_id, start, end FROM rocpd_kernel_dispatch
            UNION ALL SELECT guid, dst_agent_id, start, end FROM rocpd_memory_copy
        ), wall AS (SELECT MAX(end) - MIN(start) AS WallTime FROM work)
        SELECT w.agent_id, a.type, SUM(w.end - w.start) AS GpuTime, WallTime,
            SUM(w.end - w.start) * 1.0 / WallTime AS Busy
        FROM work AS w JOIN wall
        JOIN rocpd_info_agent AS a ON a.id = w.agent_id AND a.guid = w.guid
        GROUP BY w.agent_id, w.guid""",
}


def table_statements(guid: str, *, graphs: bool) -> Iterator[str]:
    """The tables of one process."""
    for name, columns in TABLES.items():
        if graphs and name == "rocpd_kernel_dispatch":
            columns += ", graph_exec_id INTEGER, graph_node_id INTEGER"
        guid_column = "" if name == "rocpd_metadata" else f"guid TEXT NOT NULL DEFAULT '{guid}', "
        yield (
            f'CREATE TABLE "{physical(name, guid)}" '
            f"(id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, {guid_column}{columns})"
        )


def view_statements(guids: Sequence[str]) -> Iterator[str]:
    """Bare names over all processes, then the views that join them."""
    for name in TABLES:
        parts = " UNION ALL ".join(f'SELECT * FROM "{physical(name, guid)}"' for guid in guids)
        yield f"CREATE VIEW {name} AS {parts}"
    for name, query in VIEWS.items():
        yield f"CREATE VIEW {name} AS {query}"


def physical(table: str, guid: str) -> str:
    return f"{table}_{guid.replace('-', '_')}"
