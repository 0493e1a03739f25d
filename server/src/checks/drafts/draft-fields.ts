import type { FieldError } from '@muster/contract/errors.ts'
import type { Selectable } from 'kysely'
import Type, { type Static } from 'typebox'
import type { Database } from '../../base/db/schema.ts'
import { isStorable } from '../../base/storable.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { faultsUnder, readOptionDefinitions } from '../../compliance/templates/read-option-definitions.ts'

export const draftPlatforms = ['darwin', 'windows', 'linux'] as const

/** What its author says in a draft. */
export type DraftFields = Omit<
  Pick<Selectable<Database['custom_check_drafts']>, (typeof draftFieldNames)[number]>,
  'option_definitions'
> & { option_definitions: OptionDefinitions }

export const draftFieldNames = [
  'name',
  'slug',
  'description',
  'check_type',
  'target_type',
  'platforms',
  'interval_seconds',
  'osquery_sql',
  'option_definitions',
  'requires_primary_key',
  'primary_key_column',
  'issue_title',
  'rationale_template',
  'fix_instructions_template',
  'template_data_examples',
  'privacy_info',
  'privacy_center_example_data',
] as const

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
const jsonOrText = Type.Optional(Type.Unknown())

/** The form of a draft that is written by hand: names of the API, plus `options` and `interval_minutes`. */
const DraftInput = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    slug: text(100),
    description: text(2_000),
    check_type: Type.Optional(Type.Enum(['osquery', 'external'])),
    target_type: Type.Optional(Type.Enum(['devices', 'people'])),
    platforms: Type.Optional(Type.Array(Type.Enum([...draftPlatforms]), { maxItems: 10 })),
    interval_minutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 7 * 24 * 60 })),
    osquery_sql: text(64_000),
    options: jsonOrText,
    requires_primary_key: Type.Optional(Type.Boolean()),
    primary_key_column: text(100),
    issue_title: text(200),
    rationale_template: text(20_000),
    fix_instructions_template: text(20_000),
    template_data_examples: jsonOrText,
    privacy_info: text(20_000),
    privacy_center_example_data: jsonOrText,
  },
  { additionalProperties: false },
)
type DraftInput = Static<typeof DraftInput>

export const emptyDraft: DraftFields = {
  name: '',
  slug: '',
  description: '',
  check_type: 'osquery',
  target_type: 'devices',
  platforms: [],
  interval_seconds: 3_600,
  osquery_sql: '',
  option_definitions: {},
  requires_primary_key: false,
  primary_key_column: '',
  issue_title: '',
  rationale_template: '',
  fix_instructions_template: '',
  template_data_examples: '[]',
  privacy_info: '',
  privacy_center_example_data: '[]',
}

type Reading = { ok: Partial<DraftFields> } | { errors: FieldError[] }

/** Reads the fields that `input` has. What cannot be stored is refused; whether it makes a check is judged later. */
export function readDraftFields(input: unknown): Reading {
  const faults = faultsUnder(DraftInput, input, '')
  if (faults.length > 0) return { errors: faults }
  // As was just seen.
  const given = input as DraftInput
  const errors = textFaults(given)
  const {
    options,
    interval_minutes: minutes,
    platforms,
    template_data_examples,
    privacy_center_example_data,
    ...rest
  } = given
  const fields: Partial<DraftFields> = { ...rest }
  if (minutes !== undefined) fields.interval_seconds = minutes * 60
  if (platforms) fields.platforms = draftPlatforms.filter((platform) => platforms.includes(platform))
  for (const [field, value] of Object.entries({ template_data_examples, privacy_center_example_data })) {
    if (value === undefined) continue
    const json = jsonTextOf(value)
    if (json === undefined) errors.push({ field, message: 'must be JSON, or JSON text' })
    else Object.assign(fields, { [field]: json })
  }
  if (options !== undefined) {
    const definitions = readOptionDefinitions(typeof options === 'string' ? parsed(options) : options, 'options')
    if ('errors' in definitions) errors.push(...definitions.errors)
    else fields.option_definitions = definitions.ok
  }
  return errors.length > 0 ? { errors } : { ok: fields }
}

const textFaults = (given: DraftInput): FieldError[] =>
  Object.entries(given).flatMap(([field, value]) =>
    typeof value === 'string' && !isStorable(value)
      ? [{ field, message: 'must not contain NUL or half a surrogate pair' }]
      : [],
  )

const maxJsonLength = 64_000

function jsonTextOf(value: unknown): string | undefined {
  const json = typeof value === 'string' ? value.trim() : JSON.stringify(value)
  const isFit = json.length <= maxJsonLength && json.isWellFormed() && parsed(json) !== undefined
  return isFit ? json : undefined
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The fields of a row that has other fields too. */
export const fieldsOf = (row: DraftFields): DraftFields =>
  // Every name of the type is listed.
  Object.fromEntries(draftFieldNames.map((name) => [name, row[name]])) as DraftFields

/** A draft as its author would write it, for writing it again. */
export function writeDraftInput(fields: DraftFields): Record<string, unknown> {
  const { interval_seconds, option_definitions, template_data_examples, privacy_center_example_data, ...rest } = fields
  return {
    ...rest,
    interval_minutes: interval_seconds / 60,
    options: option_definitions,
    template_data_examples: parsed(template_data_examples),
    privacy_center_example_data: parsed(privacy_center_example_data),
  }
}
