import type { Random } from "../crash/random.ts"
import type { Cut } from "./disk-model.ts"
import type { Share } from "./surviving-file.ts"

/** "some" is drawn more often than the ends: it holds most of what can be. */
const SHARES: ReadonlyArray<Share> = ["nothing", "some", "some", "everything"]

export const anyCut = (random: Random): Cut => ({ bytes: random.pick(SHARES), names: random.pick(SHARES), random })

export const describeCut = ({ bytes, names }: Cut): string => `${bytes} of the bytes and ${names} of the names survive`
