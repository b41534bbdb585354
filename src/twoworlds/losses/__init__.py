"""What a release costs: trade-off curves and their dialects; compose, convert, calibrate, amplify."""
