import Type, { type Static } from 'typebox'
import { maxRegisteredAtOnce } from './console-values.ts'
import { Choice, Count, Identifier, IdentifierInput, Nullable, Text } from './schema-kit.ts'

export const RegistrationsRequest = Type.Object(
  {
    registrations: Type.Array(
      Type.Object(
        {
          device_id: IdentifierInput('Identifier of the device.'),
          person_id: IdentifierInput('Identifier of the person who becomes its owner.'),
        },
        { description: 'A device and its owner.', additionalProperties: false },
      ),
      { minItems: 1, maxItems: maxRegisteredAtOnce, description: 'The devices, each with its owner.' },
    ),
  },
  {
    title: 'RegistrationsRequest',
    description: 'Devices that are registered to people.',
    examples: [{ registrations: [{ device_id: '1042', person_id: '311' }] }],
    additionalProperties: false,
  },
)

export const Registrations = Type.Object(
  {
    registered_count: Count('How many devices have a new owner.'),
    unchanged_count: Count('How many had this owner already.'),
    refused: Type.Array(
      Type.Object(
        {
          device_id: Identifier('Identifier of the device.'),
          device_name: Nullable(Text('Name of the device; null when there is none anymore.')),
          reason: Text('Why it was refused.'),
        },
        { description: 'A device that was not registered.' },
      ),
      { description: 'What was refused, in the order that was asked for.' },
    ),
  },
  {
    title: 'Registrations',
    description: 'What became of each registration.',
    examples: [{ registered_count: 1, unchanged_count: 0, refused: [] }],
  },
)
export type Registrations = Static<typeof Registrations>

export const OwnerListRequest = Type.Object(
  { csv: Type.String({ maxLength: 500_000, description: 'The list, as CSV: at most 5,000 lines.' }) },
  {
    title: 'OwnerListRequest',
    description: 'A list of devices and their owners: a serial number or hardware UUID, and an e-mail address.',
    examples: [{ csv: 'serial,email\nC02XL0GTJGH5,tomas@acme.example\n' }],
    additionalProperties: false,
  },
)

const person = Type.Object(
  {
    id: Identifier('Identifier of the person.'),
    name: Text('Name of the person.'),
    email: Text('E-mail address of the person.'),
  },
  { description: 'A person.' },
)

const meanings = ['device', 'owner'] as const

const ownerListLine = Type.Object(
  {
    line: Type.Integer({ minimum: 1, description: 'Number of the line in the list.' }),
    cells: Type.Array(
      Type.Object(
        {
          column: Nullable(Text('Name of the column; null where columns have none.')),
          means: Choice(meanings, 'Whether it names the device or its owner.'),
          text: Text('What was understood: a serial number, a hardware UUID, an e-mail address or a user name.'),
        },
        { description: 'What a cell says.' },
      ),
      { description: 'What the line says of the device and its owner.' },
    ),
    outcome: Choice(
      ['new', 'replaced', 'unchanged', 'refused'],
      'Whether the device gets its first owner, gets another, has this owner already, or the line is refused.',
    ),
    reason: Nullable(Text('Why the line is refused, or which line it repeats; null otherwise.')),
    device: Nullable(
      Type.Object(
        { id: Identifier('Identifier of the device.'), name: Text('Name of the device.') },
        { description: 'The device; null when none is meant.' },
      ),
    ),
    person: Nullable(person, { description: 'Who becomes the owner; null when nobody is meant.' }),
    owner: Nullable(person, { description: 'Who owns the device now; null when nobody does.' }),
  },
  { description: 'A line of the list.' },
)
export type OwnerListLine = Static<typeof ownerListLine>

export const OwnerListPreview = Type.Object(
  {
    separator: Choice(['comma', 'semicolon', 'tab'], 'What separates the cells of the list.'),
    names_line: Nullable(
      Type.Integer({ minimum: 1, description: 'Number of the line with the names of the columns; null without.' }),
    ),
    columns: Type.Array(
      Type.Object(
        {
          name: Text('Name of the column in the list.'),
          means: Choice(meanings, 'Whether it names the device or its owner.'),
        },
        { description: 'A column that counts.' },
      ),
      { description: 'The columns that count; empty where their names are not known. The others are left out.' },
    ),
    lines: Type.Array(ownerListLine, { description: 'The lines of the list, in their order.' }),
  },
  {
    title: 'OwnerListPreview',
    description: 'What a list of owners would change.',
    examples: [
      {
        separator: 'comma',
        names_line: 1,
        columns: [
          { name: 'Serial number', means: 'device' },
          { name: 'Primary user UPN', means: 'owner' },
        ],
        lines: [
          {
            line: 2,
            cells: [
              { column: 'Serial number', means: 'device', text: 'C02XL0GTJGH5' },
              { column: 'Primary user UPN', means: 'owner', text: 'tomas@acme.example' },
            ],
            outcome: 'new',
            reason: null,
            device: { id: '1042', name: "Tomas's MacBook Pro" },
            person: { id: '311', name: 'Tomas Okafor', email: 'tomas@acme.example' },
            owner: null,
          },
        ],
      },
    ],
  },
)
export type OwnerListPreview = Static<typeof OwnerListPreview>

export const OwnerRuleQuery = Type.Object(
  {
    after: Type.Optional(Text('Where the last answer ended; left out: from the start.', { pattern: '^[0-9]{1,18}$' })),
  },
  { title: 'OwnerRuleQuery', description: 'Where the preview continues.', examples: [{ after: '1042' }] },
)

export const OwnerRulePreview = Type.Object(
  {
    owners: Type.Array(
      Type.Object(
        {
          device_id: Identifier('Identifier of the device.'),
          device_name: Text('Name of the device.'),
          account: Text('The account that is logged in on it.'),
          person,
        },
        { description: 'A device and who would own it.' },
      ),
      { description: 'The devices that would have an owner.' },
    ),
    never_owned_count: Count('How many devices never had an owner.'),
    after: Nullable(Text('Where to continue; null at the end.')),
  },
  {
    title: 'OwnerRulePreview',
    description: 'Which devices the account rule would assign to whom.',
    examples: [
      {
        owners: [
          {
            device_id: '1042',
            device_name: "Tomas's MacBook Pro",
            account: 'tomas',
            person: { id: '311', name: 'Tomas Okafor', email: 'tomas@acme.example' },
          },
        ],
        never_owned_count: 1,
        after: null,
      },
    ],
  },
)
export type OwnerRulePreview = Static<typeof OwnerRulePreview>
