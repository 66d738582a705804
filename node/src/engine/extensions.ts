import { indexes } from "../indexes/indexes.ts"
import { maintenance } from "../maintenance/maintenance.ts"
import { engineFigures } from "../metrics/engine-figures.ts"
import type { MakeExtension } from "./engine.ts"
import { pool } from "./pool/pool.ts"
import { spaceWatch } from "./space-watch.ts"

/**
 * What the engine of a node consists of besides the chain: indexes, pruning, import, verification, loose transactions,
 * measuring, in the order they are made.
 */
export const EXTENSIONS: ReadonlyArray<MakeExtension> = [spaceWatch, indexes, maintenance, pool, engineFigures]
