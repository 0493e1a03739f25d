import { type OptionDefinition, type OptionValue, optionFault } from './option-kinds.ts'

export type OptionDefinitions = { readonly [name: string]: OptionDefinition }
export type OptionValues = { [name: string]: OptionValue }
export type OptionError = { field: string; message: string }

/**
 * Reads a check's options from a parsed JSON value. Strict: names without a definition are errors, values must fit their
 * definition, an absent option has its default. `field` is the path of the value, such as
 * `options/minimum_versions/0/major`.
 */
export function parseOptions(
  definitions: OptionDefinitions,
  json: unknown,
): { ok: OptionValues } | { errors: OptionError[] } {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { errors: [{ field: 'options', message: 'must be an object' }] }
  }
  const given = json as Record<string, unknown>
  const errors: OptionError[] = Object.keys(given)
    .filter((name) => !Object.hasOwn(definitions, name))
    .map((name) => ({ field: `options/${name}`, message: 'is not an option of this check' }))
  const ok: OptionValues = {}
  for (const [name, definition] of Object.entries(definitions)) {
    const value = Object.hasOwn(given, name) ? given[name] : definition.default
    const fault = optionFault(definition, value, `options/${name}`)
    if (fault) errors.push(fault)
    else ok[name] = structuredClone(value) as OptionValue
  }
  return errors.length > 0 ? { errors } : { ok }
}
