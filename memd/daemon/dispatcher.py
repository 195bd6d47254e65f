"""Every method that can be asked, a family each."""

from __future__ import annotations

from memd.server.dispatch import Dispatcher
from memd.server.methods.doctor import Doctor
from memd.server.methods.excluding import Excluding
from memd.server.methods.fenced import Fenced
from memd.server.methods.forgetting import Forgetting
from memd.server.methods.graph import Graph
from memd.server.methods.hook import Hooks
from memd.server.methods.importing import Importing
from memd.server.methods.jobs import Jobs
from memd.server.methods.ledger import Ledger
from memd.server.methods.memory import Memory
from memd.server.methods.native import Native
from memd.server.methods.observations import Observations
from memd.server.methods.observing import Observing
from memd.server.methods.projects import Projects
from memd.server.methods.proposals import Proposals
from memd.server.methods.reading import Reading
from memd.server.methods.recall import Recalling
from memd.server.methods.reflection import Reflection
from memd.server.methods.searching import Searching
from memd.server.methods.sources import Syncing
from memd.server.methods.status import Status
from memd.server.methods.undoing import Undoing
from memd.server.methods.upkeep import Upkeep
from memd.services import Services


def dispatcher(services: Services) -> Dispatcher:
    """Every method there is."""
    families = (
        Searching,
        Recalling,
        Hooks,
        Reading,
        Memory,
        Syncing,
        Importing,
        Forgetting,
        Excluding,
        Projects,
        Native,
        Graph,
        Observations,
        Observing,
        Reflection,
        Proposals,
        Ledger,
        Undoing,
        Jobs,
        Status,
        Upkeep,
        Doctor,
    )
    methods = {name: method for family in families for name, method in family(services).methods().items()}
    return Dispatcher({**methods, **Fenced(services, methods).methods()})
