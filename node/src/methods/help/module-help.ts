import type { ModuleMethod } from "../../modules/api/module-methods.ts"
import type { MethodNode } from "../definition/method-node.ts"

/** Returns the methods that modules answer at present: added ones, and overrides of the node's own. */
export const moduleMethodsOf = (
  { modules }: Pick<MethodNode, "modules">
): { readonly added: ReadonlyArray<ModuleMethod>; readonly overrides: ReadonlyMap<string, ModuleMethod> } => {
  const all = modules()?.methods.all() ?? []
  return {
    added: all.filter(({ isOverride }) => !isOverride).toSorted((a, b) => a.name < b.name ? -1 : 1),
    overrides: new Map(all.flatMap((each) => each.isOverride ? [[each.name, each] as const] : []))
  }
}

/** Returns the help text of a method that a module adds. */
export const addedHelp = ({ description, module, name }: ModuleMethod): string =>
  `${name}\n\n${description}\n\nNeeds admin privileges.\n\nThe module ${module} answers it.\n`

/** Returns the help text about a module that overrides a method. */
export const overrideHelp = ({ description, module }: ModuleMethod): string =>
  `\nThe module ${module} answers it in place of the node:\n${description}\n`
