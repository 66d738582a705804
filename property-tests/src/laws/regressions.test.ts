import { REGRESSIONS } from "../../fuzz/run/findings.ts"
import { replayRegressions } from "../../fuzz/run/replay-regressions.ts"
import { TARGETS } from "../../fuzz/targets/all.ts"

replayRegressions(REGRESSIONS, TARGETS)
