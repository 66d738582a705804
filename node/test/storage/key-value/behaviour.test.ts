import { behaviour } from "./behaviour.ts"
import { LEVELDB, LMDB, MEMORY } from "./engines.ts"

for (const engine of [LMDB, LEVELDB, MEMORY]) behaviour(engine)
