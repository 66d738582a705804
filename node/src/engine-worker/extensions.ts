import { indexes } from "../indexes/indexes.ts"
import { maintenance } from "../maintenance/maintenance.ts"
import { engineFigures } from "../metrics/engine-figures.ts"
import { pool } from "../engine/mempool/mempool-extension.ts"
import { spaceWatch } from "../engine/chainstate/space-watch.ts"
import { unknownRulesWatch } from "../engine/validation/unknown-rules.ts"

/**
 * The parts of a node's engine besides the chain: indexes, pruning, import, verification, the mempool, warnings of
 * unknown rules, metrics, in the order they are made.
 */
export const EXTENSIONS = [
  spaceWatch,
  indexes,
  maintenance,
  pool,
  unknownRulesWatch,
  engineFigures
] as const
