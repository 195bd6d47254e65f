"""Benches run as the daemon does: with one thread of numpy's."""

from memd.providers.embedding import runtime

runtime.keep_to_one_thread()
