import { healthText } from "../modules/lifecycle/health-text.ts"
import type { ModuleStatus } from "../modules/lifecycle/module-status.ts"

type Judged = Pick<ModuleStatus, "errors" | "figures" | "name" | "status">

const troubleOf = ({ errors, figures, name, status }: Judged): ReadonlyArray<string> => {
  if (status === "crashed" || status === "backing off") return [`the module ${name} ${errors.join("; ")}`]
  if (status === "reconnecting") return [`the module ${name} has lost its connection`]
  return figures === undefined || figures.health._tag === "Healthy"
    ? []
    : [`the module ${name} says ${healthText(figures.health)}`]
}

/** Describes the faults of modules. One that the operator unloaded, or that may not be loaded, is no fault of the node. */
export const moduleTroubles = (modules: ReadonlyArray<Judged>): ReadonlyArray<string> => modules.flatMap(troubleOf)
