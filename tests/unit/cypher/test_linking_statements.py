from lfx_neo4j_graphrag.cypher.linking_statements import known_statement, values_statement


def test_one_scan_of_a_label_reads_all_its_properties():
    text = values_statement([("Cliente", ["nombre", "la calle"]), ("A`b", ["x"])])
    assert text.count("MATCH (n:`Cliente`)") == 1
    assert "n.`la calle` IS :: STRING" in text
    assert "UNION ALL\nMATCH (n:`A``b`)" in text
    assert "RETURN 1 AS i" in text


def test_known_texts_are_looked_up_by_equality():
    text = known_statement([("Cliente", "nombre")])
    assert text == "MATCH (n:`Cliente`) WHERE n.`nombre` IN $texts WITH DISTINCT n.`nombre` AS value LIMIT 5 RETURN 0 AS i, value"
