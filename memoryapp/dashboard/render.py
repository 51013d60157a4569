from memoryapp.rendering import is_htmx as is_htmx
from memoryapp.rendering import keep_private as keep_private
from memoryapp.rendering import leave as leave
from memoryapp.rendering import page as page
from memoryapp.rendering import private as private
from memoryapp.rendering import wants_fragment as wants_fragment
