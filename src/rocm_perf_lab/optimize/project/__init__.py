"""What is optimised: sources, the program they make, and a private copy in which it is built."""

from rocm_perf_lab.optimize.project.model import Project, open_project
from rocm_perf_lab.optimize.project.private_tree import Built, PrivateTree

__all__ = ["Built", "PrivateTree", "Project", "open_project"]
