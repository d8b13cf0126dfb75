"""What a worker sees about an entity, and the search for entities."""
