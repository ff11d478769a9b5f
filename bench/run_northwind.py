"""Northwind as others publish it, saved without Cypher, and compared with pandas on the repaired files.

    git clone https://github.com/neo4j-graph-examples/northwind
    python bench/run_northwind.py northwind/import --uri bolt://localhost:7687     # wipes the database

First the files as published: some lines hold commas outside quotation marks, and many cells are the text NULL. What is
rejected must be exactly those lines. Then the repaired files, over what is there: only what was missing may be made.
Counts and totals must then be those of pandas. Exits with 1 when anything differs.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import re
from pathlib import Path

import pandas as pd
from neo4j import Driver, GraphDatabase
from wiping import wipe

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records

DATES = "orderDate: date, requiredDate: date, shippedDate: date"
# file, label, key, relationship lines, column types
FILES = [
    ("categories", "Category", "categoryID", "", ""),
    ("suppliers", "Supplier", "supplierID", "", ""),
    ("customers", "Customer", "customerID", "", ""),
    ("employees", "Employee", "employeeID", "reportsTo -> REPORTS_TO -> Employee.employeeID", "birthDate: date, hireDate: date"),
    (
        "products",
        "Product",
        "productID",
        "categoryID -> IN_CATEGORY -> Category.categoryID\nsupplierID -> SUPPLIED_BY -> Supplier.supplierID",
        "discontinued: boolean",
    ),
    (
        "orders",
        "Order",
        "orderID",
        "customerID -> PLACED_BY -> Customer.customerID\nemployeeID -> SOLD_BY -> Employee.employeeID",
        DATES,
    ),
    (
        "order-details",
        "OrderLine",
        "orderID + productID",
        "orderID -> OF_ORDER -> Order.orderID\nproductID -> OF_PRODUCT -> Product.productID",
        "",
    ),
]
# A comma inside a cell is followed by a blank in these files, one between cells never is.
SEPARATOR = re.compile(r",(?! )")


def broken_lines(text: str) -> list[int]:
    """1-based rows (without the header) that the csv rules cannot read: no quotation marks, and too many commas."""
    lines = text.splitlines()
    width = lines[0].count(",")
    return [number for number, line in enumerate(lines[1:], 1) if '"' not in line and line.count(",") != width]


def repaired(text: str) -> str:
    """The same table with quotation marks where they are missing."""
    lines = text.splitlines()
    width = lines[0].count(",")
    for number, line in enumerate(lines):
        if '"' not in line and line.count(",") != width:
            lines[number] = ",".join(f'"{cell}"' if "," in cell else cell for cell in SEPARATOR.split(line))
    return "\n".join(lines) + "\n"


async def save(connection: Connection, text: str, label: str, key: str, lines: str, types: str) -> dict:
    request = AddRecordsRequest(text, label, key, lines, column_types=types)
    return (await add_records(connection, request)).details["report"]


async def load(connection: Connection, texts: dict[str, str]) -> dict[str, dict]:
    return {name: await save(connection, texts[name], *fields) for name, *fields in FILES}


def expected(texts: dict[str, str]) -> dict[str, object]:
    """By pandas."""
    tables = {name: pd.read_csv(io.StringIO(text), na_values=["NULL"]) for name, text in texts.items()}
    orders, lines, products = tables["orders"], tables["order-details"], tables["products"]
    lines = lines.assign(total=lines.unitPrice * lines.quantity * (1 - lines.discount))
    whole = lines.merge(products[["productID", "categoryID"]]).merge(tables["categories"][["categoryID", "categoryName"]])
    whole = whole.merge(orders[["orderID", "customerID", "employeeID", "orderDate"]])
    by_country = whole.merge(tables["customers"][["customerID", "country"]])
    return {
        **{f"{label} nodes": len(tables[name]) for name, label, *_ in FILES},
        "REPORTS_TO": int(tables["employees"].reportsTo.notna().sum()),
        "PLACED_BY": int(orders.customerID.notna().sum()),
        "OF_ORDER": len(lines),
        "SUPPLIED_BY": len(products),
        "turnover": round(float(whole.total.sum()), 2),
        "turnover by category": {k: round(v, 2) for k, v in whole.groupby("categoryName").total.sum().items()},
        "turnover by employee": {int(k): round(v, 2) for k, v in whole.groupby("employeeID").total.sum().items()},
        "turnover of Germany": round(float(by_country[by_country.country == "Germany"].total.sum()), 2),
        "orders of 1997": int(orders.orderDate.str.startswith("1997").sum()),
        "orders not shipped": int(orders.shippedDate.isna().sum()),
        "freight": round(float(orders.freight.sum()), 2),
        "discontinued": int(products.discontinued.sum()),
        "suppliers without region": int(tables["suppliers"].region.isna().sum()),
    }


TURNOVER = "round(sum(l.unitPrice * l.quantity * (1 - l.discount)), 2)"


def found(driver: Driver) -> dict[str, object]:
    """By Cypher on the graph that Add Records made."""

    def one(cypher: str) -> object:
        return driver.execute_query(cypher).records[0][0]

    def table(cypher: str) -> dict:
        return {record[0]: record[1] for record in driver.execute_query(cypher).records}

    sold = "MATCH (l:OrderLine)-[:OF_ORDER]->(o:Order)"
    return {
        **{f"{label} nodes": one(f"MATCH (n:`{label}`) RETURN count(n)") for _, label, *_ in FILES},
        **{
            kind: one(f"MATCH ()-[r:{kind}]->() RETURN count(r)")
            for kind in ("REPORTS_TO", "PLACED_BY", "OF_ORDER", "SUPPLIED_BY")
        },
        "turnover": one(f"{sold} RETURN {TURNOVER}"),
        "turnover by category": table(
            f"MATCH (l:OrderLine)-[:OF_PRODUCT]->()-[:IN_CATEGORY]->(c) RETURN c.categoryName, {TURNOVER} ORDER BY c.categoryName"
        ),
        "turnover by employee": table(f"{sold}-[:SOLD_BY]->(e) RETURN e.employeeID, {TURNOVER} ORDER BY e.employeeID"),
        "turnover of Germany": one(f"{sold}-[:PLACED_BY]->(c:Customer {{country: 'Germany'}}) RETURN {TURNOVER}"),
        "orders of 1997": one("MATCH (o:Order) WHERE date('1997-01-01') <= o.orderDate < date('1998-01-01') RETURN count(o)"),
        "orders not shipped": one("MATCH (o:Order) WHERE o.shippedDate IS NULL RETURN count(o)"),
        "freight": one("MATCH (o:Order) RETURN round(sum(o.freight), 2)"),
        "discontinued": one("MATCH (p:Product) WHERE p.discontinued RETURN count(p)"),
        "suppliers without region": one("MATCH (s:Supplier) WHERE s.region IS NULL RETURN count(s)"),
    }


def same(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return abs(one - other) < 0.02 if isinstance(one, float) or isinstance(other, float) else one == other


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--username", default="")
    parser.add_argument("--password", default="")
    options = parser.parse_args()
    connection = Connection(options.uri, options.username, options.password)
    driver = GraphDatabase.driver(options.uri, auth=(options.username, options.password) if options.password else None)
    published = {name: (options.folder / f"{name}.csv").read_text(encoding="utf-8") for name, *_ in FILES}
    wipe(driver)
    wrong = []
    for name, report in asyncio.run(load(connection, published)).items():
        rejected, broken = report["rejected_positions"], broken_lines(published[name])
        print(f"{name}: {report['rows']} rows, {len(rejected)} rejected, {report['nodes_created']} nodes, {report['seconds']} s")
        print("".join(f"    row {r['position']}: {r['reason']}\n" for r in report["rejected"][:2]), end="")
        print("".join(f"    note: {note}\n" for note in report["warnings"]), end="")
        wrong += [f"{name}: rejected {rejected} instead of {broken}"] if rejected != broken else []
    whole = {name: repaired(text) for name, text in published.items()}
    for name, report in asyncio.run(load(connection, whole)).items():
        missing = len(broken_lines(published[name]))
        if report["rejected_rows"] or report["not_in_load"]:
            wrong.append(f"{name}: {report['rejected_rows']} repaired rows rejected, {report['not_in_load']} nodes too many")
        print(
            f"{name} repaired: {report['nodes_created']} nodes made for {missing} missing rows, {report['nodes_updated']} changed"
        )
    again = asyncio.run(load(connection, whole))
    wrong += [
        f"{name}: the third load changed something"
        for name, report in again.items()
        if report["properties_set"] or report["relationships_created"]
    ]
    by_pandas, by_cypher = expected(whole), found(driver)
    for name, value in by_pandas.items():
        print(f"{name}: pandas {value}, graph {by_cypher[name]}")
        wrong += [] if same(value, by_cypher[name]) else [f"{name}: {value} by pandas, {by_cypher[name]} in the graph"]
    driver.close()
    print("\n".join(["DIFFERENT:", *wrong]) if wrong else "Everything is equal.")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
