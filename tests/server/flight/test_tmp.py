import warnings
def test_first(service, address, connect, clusters):
    cn = connect(address)
    cur = cn.cursor()
    cur.execute("SELECT 1")
    print(cur.fetch_arrow_table(), cur.rowcount)
    cur.execute("MANY 20")
    t=cur.fetch_arrow_table(); print(t.num_rows)
    cur.execute("SELECT n WHERE n = ?", (1,)); print(cur.fetchall(), clusters.last.seen[-1])
    for bad in ["USE x","SELECT nosuch", "DROP TABLE x PURGE; SELECT 1", "bug"]:
        try: cur.execute(bad); print(bad, cur.fetchall())
        except Exception as e: print(bad, repr(e)); 
    print(cn.adbc_get_info()); print(cn.adbc_get_table_types()); print(cn.adbc_get_objects().read_all().to_pylist())
    c2 = connect(address, **{"adbc.flight.sql.rpc.with_cookie_middleware": "true"})
    k=c2.cursor(); k.execute("USE x"); print(c2.adbc_current_catalog, c2.adbc_current_db_schema)
    import pyarrow as pa
    print(k.adbc_ingest("t1", pa.table({"a":[1,2]}), mode="create")); print(clusters.last.ingested)
    try: c3=cn.adbc_clone()
    except Exception as e: print(e)
    k.executemany("INSERT INTO x VALUES (?)", [(1,),(2,)]); print(k.rowcount)
    k.execute("INSERT INTO x VALUES (1)"); print(k.rowcount, k.description)
    print([j.statement for j in service.store.jobs.recent(20)] if hasattr(service.store.jobs,'recent') else '')
    cur.close(); k.close()
