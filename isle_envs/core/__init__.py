"""The contract shared by all games: kernels, random streams, games, batches, actions, observations, policies."""
