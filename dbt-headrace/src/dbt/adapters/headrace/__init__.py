"""The dbt adapter of Headrace."""

from dbt.adapters.base.plugin import AdapterPlugin

from dbt.adapters.headrace.connections import HeadraceConnectionManager
from dbt.adapters.headrace.credentials import HeadraceCredentials
from dbt.adapters.headrace.impl import HeadraceAdapter
from dbt.adapters.headrace.init_profile import write_both_targets
from dbt.include import headrace

__all__ = ["HeadraceAdapter", "HeadraceConnectionManager", "HeadraceCredentials", "Plugin"]

Plugin = AdapterPlugin(
    adapter=HeadraceAdapter,  # type: ignore[arg-type]
    credentials=HeadraceCredentials,
    include_path=headrace.PACKAGE_PATH,
)

write_both_targets()
