import { relative } from "node:path"
import type { TestSequencer, TestSpecification } from "vitest/node"

/** Names the variable of the environment that says in which order test files run: their paths, a space between them. */
export const TEST_ORDER = "LOCKSTEP_MUTATION_ORDER"

export const orderText = (files: ReadonlyArray<string>): string => files.join(" ")

/** `items` in the order of a text of `orderText`; those it does not name come first. */
export const inOrder = <T>(items: ReadonlyArray<T>, fileOf: (item: T) => string, order: string): Array<T> => {
  const places = new Map(order.split(" ").map((file, i) => [file, i]))
  const placeOf = (item: T): number => places.get(fileOf(item)) ?? -1
  return items.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Vitest itself begins with the files that take longest, which the first failure makes needless. */
export class OrderAsAsked implements TestSequencer {
  shard(files: Array<TestSpecification>): Array<TestSpecification> {
    return files
  }

  sort(files: Array<TestSpecification>): Array<TestSpecification> {
    return inOrder(files, ({ moduleId }) => relative(process.cwd(), moduleId), process.env[TEST_ORDER] ?? "")
  }
}
