#!/bin/bash
# What the CI of this library runs: it fails where a sampler does not sample what it claims.
set -eu
cd "$(dirname "$0")"
recipe audit claims.py --format github
echo "every sampler samples what it claims"
