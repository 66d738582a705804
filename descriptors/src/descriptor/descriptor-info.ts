import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Result from "effect/Result"
import { descriptorChecksum } from "../script-text/descriptor-checksum.ts"
import { descriptorText, type Expression, isRanged, isSolvable, keysIn } from "./descriptor.ts"
import { parseDescriptor } from "./parse-descriptor.ts"

/**
 * Parses a descriptor. Returns its expressions, one for each alternative of its paths, and the answer of
 * `getdescriptorinfo`.
 */
export const descriptorInfo = (text: string, network: Network) =>
  Result.map(parseDescriptor(text, network), (expressions: ReadonlyArray<Expression>) => {
    const first = expressions[0]!
    return {
      first,
      json: {
        descriptor: descriptorText(first),
        multipath_expansion: expressions.length > 1 ? expressions.map(descriptorText) : undefined,
        checksum: descriptorChecksum(text.split("#", 1)[0]!)!,
        isrange: isRanged(first),
        issolvable: isSolvable(first),
        hasprivatekeys: expressions.some((each) => keysIn(each).some((key) => key.isPrivate))
      }
    }
  })
