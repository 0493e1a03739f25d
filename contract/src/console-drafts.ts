import Type, { type Static } from 'typebox'
import { CustomCheckDraft, customCheckDraftExample } from './custom-check-drafts.ts'
import { Choice, Count, Identifier, JsonText, Nullable, Text } from './schema-kit.ts'

const CatalogueEntry = Type.Object(
  {
    slug: Text('Short name of the check.'),
    name: Text('Name of the check.'),
    description: Text('What it looks at.'),
    platforms: Type.Array(Choice(['darwin', 'windows', 'linux'], 'A platform.'), { description: 'Where it can run.' }),
    topics: Type.Array(Type.String(), { description: 'Subjects that it touches.' }),
    check_id: Nullable(Identifier('The check of the organization; null while it is not enabled.')),
  },
  { description: 'A check that comes with Muster.' },
)

export const Catalogue = Type.Object(
  { checks: Type.Array(CatalogueEntry, { description: 'All of them.' }) },
  {
    title: 'Catalogue',
    examples: [
      {
        checks: [
          {
            slug: 'macos-up-to-date',
            name: 'macOS is up to date',
            description: 'Looks at the version of macOS.',
            platforms: ['darwin'],
            topics: ['updates'],
            check_id: '57',
          },
        ],
      },
    ],
    description: 'The checks that come with Muster.',
  },
)
export type Catalogue = Static<typeof Catalogue>

export const EnabledCheck = Type.Object(
  { check_id: Identifier('The check of the organization.') },
  { title: 'EnabledCheck', examples: [{ check_id: '57' }], description: 'A check that is on, and only reports.' },
)

/** Read by the draft's own rules, which name what is wrong. */
export const DraftInput = Type.Object(
  {},
  {
    title: 'DraftInput',
    examples: [{}],
    additionalProperties: true,
    description: 'Fields of a draft; those that are left out stay as they are.',
  },
)

const section = (what: string) =>
  Type.Object(
    {
      status: Choice(['missing', 'bad', 'good'], 'How it stands.'),
      reasons: Type.Array(Type.String(), { description: 'What keeps it from being good.' }),
    },
    { description: what },
  )

const judgementExample = {
  sections: {
    osquery_sql: { status: 'missing', reasons: ['has no query'] },
    notification_templates: { status: 'missing', reasons: ['has no query'] },
    details: { status: 'missing', reasons: ['has no query'] },
    privacy_center_details: { status: 'missing', reasons: ['has no query'] },
  },
  sql: 'SELECT 1',
  rationale: 'Updates close known holes.',
  fix_instructions: 'Open System Settings.',
}

/** The fields of a draft, stored or not. */
export const DraftJudgement = Type.Object(
  {
    sections: Type.Object(
      {
        osquery_sql: section('The query.'),
        notification_templates: section('The texts.'),
        details: section('Name, slug, description, platforms.'),
        privacy_center_details: section('What people read about their data.'),
      },
      { description: 'The four sections.' },
    ),
    sql: Nullable(Text('The query with the default options; null where it cannot be made.')),
    rationale: Nullable(Text('The rationale with the example rows, in Markdown; null where it cannot be made.')),
    fix_instructions: Nullable(Text('The instructions with the example rows; null where they cannot be made.')),
  },
  {
    title: 'DraftJudgement',
    examples: [judgementExample],
    description: 'What a draft lacks, and its texts as they would be shown.',
  },
)
export type DraftJudgement = Static<typeof DraftJudgement>

export const DraftView = Type.Object(
  {
    ...CustomCheckDraft.properties,
    interval_minutes: Count('How often the check is to run.'),
    options: JsonText('Definitions of its options, as JSON text of an object.'),
    judgement: DraftJudgement,
  },
  {
    title: 'DraftView',
    examples: [
      {
        ...customCheckDraftExample,
        interval_minutes: 60,
        options: '{}',
        judgement: judgementExample,
      },
    ],
    description: 'A draft with what its editor shows.',
  },
)
export type DraftView = Static<typeof DraftView>

export const NewDraft = Type.Object(
  {
    input: DraftInput,
    from_check: Type.Optional(
      Type.String({ pattern: '^[0-9]{1,18}$', description: 'A check of one’s own that it is to change.' }),
    ),
  },
  { title: 'NewDraft', examples: [{ input: {} }], description: 'A draft to be made.' },
)

export const MadeDraft = Type.Object(
  { id: Identifier('Identifier of the draft.') },
  { title: 'MadeDraft', examples: [{ id: '57' }], description: 'A draft.' },
)
