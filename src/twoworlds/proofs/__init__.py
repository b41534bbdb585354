"""Reader 3: proves a card for all inputs and lengths by aligning the noise of its two worlds, or says why not."""
