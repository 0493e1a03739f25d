import { type Attribute, findAttribute } from './attribute.ts'
import { type Filter, parseFilter } from './parse-filter.ts'
import { refuse, ScimError } from './scim-error.ts'

export type Step = { readonly attribute: Attribute; readonly filter: Filter | undefined }

const maxPathLength = 1_000

/**
 * The way from a resource to what a PATCH is about (RFC 7644 §3.5.2, Figure 7): `name.givenName`,
 * `emails[type eq "work"].value`, `<schema>:attribute`. Only attributes of the schema are found, so no path leads to
 * what objects inherit. Fails with invalidPath.
 */
export function parsePath(attributes: readonly Attribute[], coreUrn: string, text: string): Step[] {
  if (text.length > maxPathLength) refuse(400, 'invalidPath', `A path has at most ${maxPathLength} characters.`)
  const isCore = text.toLowerCase().startsWith(`${coreUrn.toLowerCase()}:`)
  const steps = readSteps(attributes, isCore ? text.slice(coreUrn.length + 1) : text)
  return steps ?? refuse(400, 'invalidPath', 'The path leads to no attribute.')
}

/** As `parsePath`, for names that may be of an attribute unknown here: undefined. */
export function findPath(attributes: readonly Attribute[], coreUrn: string, text: string): Step[] | undefined {
  try {
    return parsePath(attributes, coreUrn, text)
  } catch (error) {
    if (error instanceof ScimError) return undefined
    throw error
  }
}

function readSteps(attributes: readonly Attribute[], text: string): Step[] | undefined {
  const extension = attributes.find(({ name }) => isWithin(name, text))
  if (extension) {
    const step = { attribute: extension, filter: undefined }
    const rest = text.slice(extension.name.length + 1)
    return rest === '' ? [step] : prepend(step, readSteps(extension.subAttributes ?? [], rest))
  }
  const name = /^[a-z$][\w$-]*/i.exec(text)?.[0] ?? ''
  const attribute = findAttribute(attributes, name)
  if (!attribute) return undefined
  const inBrackets = text[name.length] === '[' ? textInBrackets(text.slice(name.length)) : undefined
  if (text[name.length] === '[' && (inBrackets === undefined || !attribute.multiValued)) return undefined
  const step = { attribute, filter: inBrackets === undefined ? undefined : parseFilter(inBrackets) }
  const rest = text.slice(name.length + (inBrackets === undefined ? 0 : inBrackets.length + 2))
  if (rest === '') return [step]
  return rest.startsWith('.') ? prepend(step, readSteps(attribute.subAttributes ?? [], rest.slice(1))) : undefined
}

/** The name of an extension has dots and colons of its own, so it is not taken apart. */
function isWithin(urn: string, text: string): boolean {
  if (!urn.includes(':')) return false
  const start = text.slice(0, urn.length + 1).toLowerCase()
  return start === urn.toLowerCase() || start === `${urn.toLowerCase()}:`
}

const prepend = (step: Step, rest: Step[] | undefined): Step[] | undefined => rest && [step, ...rest]

/** What is between a bracket and the one that closes it, whatever brackets are in strings. */
function textInBrackets(text: string): string | undefined {
  return /^\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\]/s.exec(text)?.[1]
}
