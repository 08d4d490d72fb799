"""Kinds of relations in the catalog."""

from __future__ import annotations

from dbt.tests.adapter.catalog.relation_types import CatalogRelationTypes


class TestCatalogRelationTypes(CatalogRelationTypes):
    pass
