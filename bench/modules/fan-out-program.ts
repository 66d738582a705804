import { measuredFanOut } from "../../node/test/modules/fan-out-for-bench.ts"
import { answerParent } from "../node/in-child.ts"

await answerParent(measuredFanOut)
