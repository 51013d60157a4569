"""The HTTP API for agents, `/api/v1`: JSON in, JSON out. Each view parses, calls one service and responds."""
