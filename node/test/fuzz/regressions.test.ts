import { replayRegressions } from "@lockstep/property-tests/fuzz/run/replay-regressions.ts"
import { REGRESSIONS } from "./regressions-directory.ts"
import { TARGETS } from "./targets.ts"

replayRegressions(REGRESSIONS, TARGETS)
