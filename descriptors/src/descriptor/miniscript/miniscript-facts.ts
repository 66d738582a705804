import { type Fragment, insideOut, type Surroundings } from "./fragment.ts"
import { miniscriptText } from "./miniscript-text.ts"
import { hasProperties, PROPERTY_LETTERS } from "./properties.ts"
import { insanityOf, resourceUse } from "./sanity.ts"
import { type Condition, spendingPaths } from "./spending-paths.ts"
import { largestWitness } from "./witness-sizes.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"

const BASIC = "BVKW"

const lettersOf = ({ properties }: Fragment, of: string): string =>
  [...of].filter((letter) => hasProperties(properties, letter)).join("")

/**
 * Reports the static facts of a miniscript as shown in results. `keyText` must return the same text for the same keys.
 */
export const miniscriptFacts = (root: Fragment, surroundings: Surroundings, keyText: (key: number) => string) => {
  const keys = insideOut(root).flatMap((fragment) => fragment.keys).map(keyText)
  const insanity = insanityOf(root, surroundings, keyText)
  return {
    miniscript: miniscriptText(root, keyText),
    context: surroundings,
    type: lettersOf(root, BASIC),
    properties: lettersOf(root, PROPERTY_LETTERS),
    sane: insanity === undefined,
    problem: insanity && `${miniscriptText(insanity.fragment, keyText)} ${insanity.problem}`,
    malleable: !hasProperties(root.properties, "m"),
    needs_signature: hasProperties(root.properties, "s"),
    mixes_timelocks: !hasProperties(root.properties, "k"),
    repeats_keys: new Set(keys).size < keys.length,
    script_size: root.size,
    max_satisfaction_size: largestWitness(root, surroundings),
    limits: resourceUse(root, surroundings).map(({ most, name, used }) => ({
      name,
      used: used < 0 ? undefined : used,
      most
    }))
  }
}

const conditionJson = (condition: Condition, keyText: (key: number) => string) => {
  switch (condition.ask) {
    case "keys":
      return { signatures: condition.required, keys: condition.keys.map(keyText) }
    case "preimage":
      return { preimage: condition.form, hash: hexOf(condition.hash) }
    default:
      return condition.ask === "after" ? { after: condition.lock } : { older: condition.lock }
  }
}

/** Reports the ways to satisfy a miniscript as shown in results. */
export const pathFacts = (root: Fragment, surroundings: Surroundings, keyText: (key: number) => string) => {
  const { isCut, paths } = spendingPaths(root, surroundings)
  return {
    paths: paths.map(({ conditions, elements, size }) => ({
      conditions: conditions.map((condition) => conditionJson(condition, keyText)),
      max_satisfaction_size: size,
      elements
    })),
    more_paths: isCut ? true : undefined
  }
}
