import { Textarea, TextInput } from '@mantine/core'
import { platformWords } from '../checks/check-words.ts'
import { SqlEditor } from '../components/sql-editor.tsx'
import type { DraftForm } from './draft-queries.ts'

type Parts = {
  readonly form: DraftForm
  readonly onChange: (part: Partial<DraftForm>) => void
  readonly faultUnder: (field: string) => string | undefined
}

type TextName = {
  [Name in keyof DraftForm]: DraftForm[Name] extends string ? Name : never
}[keyof DraftForm]

const platforms = ['darwin', 'windows', 'linux'] as const

export function DraftFields({ form, onChange, faultUnder }: Parts) {
  const field = (name: TextName, label: string, description?: string) => ({
    label,
    ...(description !== undefined && { description }),
    value: form[name],
    error: faultUnder(name),
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
  })
  return (
    <form className="draft-form" onSubmit={(event) => event.preventDefault()}>
      <section aria-labelledby="draft-query">
        <h2 id="draft-query">Query</h2>
        <SqlEditor
          label="osquery SQL"
          value={form.osquery_sql}
          onChange={(osquery_sql) => onChange({ osquery_sql })}
          dialect="osquery"
          error={faultUnder('osquery_sql')}
        />
        <p className="small faint">
          Every row has <code>KOLIDE_CHECK_STATUS</code>: PASS, FAIL, UNKNOWN, ERROR or INAPPLICABLE.
        </p>
        <label className="row">
          <input
            type="checkbox"
            checked={form.requires_primary_key}
            onChange={(event) =>
              onChange({
                requires_primary_key: event.currentTarget.checked,
                ...(!event.currentTarget.checked && { primary_key_column: '' }),
              })
            }
          />
          One run may open several issues on a device
        </label>
        {form.requires_primary_key && (
          <TextInput {...field('primary_key_column', 'Column that distinguishes them')} className="field-column" />
        )}
        <Textarea
          {...field('options', 'Options', 'JSON: what an administrator can set')}
          rows={4}
          className="field-json"
        />
      </section>
      <section className="section" aria-labelledby="draft-details">
        <h2 id="draft-details">Details</h2>
        <TextInput {...field('name', 'Name')} />
        <TextInput {...field('slug', 'Slug', 'Lower-case letters, digits and hyphens')} />
        <Textarea {...field('description', 'Description', 'What the check looks at')} rows={2} />
        <fieldset className="draft-platforms">
          <legend>Platforms</legend>
          {platforms.map((platform) => (
            <label className="row" key={platform}>
              <input
                type="checkbox"
                checked={form.platforms.includes(platform)}
                onChange={(event) =>
                  onChange({
                    platforms: platforms.filter((one) =>
                      one === platform ? event.currentTarget.checked : form.platforms.includes(one),
                    ),
                  })
                }
              />
              {platformWords[platform]}
            </label>
          ))}
        </fieldset>
        <TextInput
          {...field('interval_minutes', 'Runs every')}
          className="field-number"
          inputMode="numeric"
          rightSection={<span className="unit">min</span>}
        />
      </section>
      <section className="section" aria-labelledby="draft-texts">
        <h2 id="draft-texts">Texts</h2>
        <TextInput {...field('issue_title', 'Issue title', 'What is wrong, in a few words')} />
        <Textarea {...field('rationale_template', 'Rationale', 'Why it matters; Markdown with Liquid')} rows={4} />
        <Textarea
          {...field(
            'fix_instructions_template',
            'Fix instructions',
            'Numbered steps for the owner; Markdown with Liquid',
          )}
          rows={6}
        />
        <Textarea
          {...field('template_data_examples', 'Example rows', 'JSON: failing rows to preview the texts with')}
          rows={4}
          className="field-json"
        />
      </section>
      <section className="section" aria-labelledby="draft-privacy">
        <h2 id="draft-privacy">Privacy</h2>
        <Textarea {...field('privacy_info', 'What it reads about people', 'Shown to the people themselves')} rows={2} />
        <Textarea
          {...field('privacy_center_example_data', 'Rows it collects', 'JSON')}
          rows={3}
          className="field-json"
        />
      </section>
    </form>
  )
}
