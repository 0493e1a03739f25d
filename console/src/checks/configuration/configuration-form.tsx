import { TextInput } from '@mantine/core'
import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { useQuery } from '@tanstack/react-query'
import { LoadFailure } from '../../components/notices.tsx'
import { deviceGroupsQuery } from '../check-queries.ts'
import type { Definitions, Draft } from './draft.ts'
import { GroupPicker } from './group-picker.tsx'
import { OptionFields } from './option-fields.tsx'
import { StrategyChoice } from './strategy-choice.tsx'

type Parts = {
  readonly draft: Draft
  readonly saved: Draft
  readonly definitions: Definitions
  readonly preview: ConfigurationPreview | undefined
  readonly faultUnder: (path: string) => string | undefined
  readonly onChange: (part: Partial<Draft>) => void
}

const groupFields = [
  {
    name: 'targeted',
    member: 'targeted_groups',
    label: 'Checked on',
    hint: 'Groups and platforms',
    empty: 'All matching devices',
  },
  {
    name: 'excluded',
    member: 'excluded_groups',
    label: 'Not checked on',
    hint: 'Excluded even if targeted above',
    empty: 'No exclusions',
  },
  {
    name: 'blocksIn',
    member: 'blocking_allowed_groups',
    label: 'Blocks in',
    hint: 'Other devices are only notified',
    empty: 'Everyone checked',
  },
  {
    name: 'neverIn',
    member: 'blocking_excluded_groups',
    label: 'Never blocks in',
    hint: 'Never blocked, even if included above',
    empty: 'No exceptions',
  },
] as const

export function ConfigurationForm({ draft, saved, definitions, preview, faultUnder, onChange }: Parts) {
  const groups = useQuery(deviceGroupsQuery)
  const results = preview === undefined ? '' : ' Changing this makes current results stale.'
  return (
    <form className="configuration-form" onSubmit={(event) => event.preventDefault()}>
      <StrategyChoice
        chosen={draft.strategy}
        saved={saved.strategy}
        preview={preview}
        onChange={(strategy) => onChange({ strategy })}
      />
      <div className="field-pair">
        <TextInput
          label="Grace period"
          description="Starts when the problem is found, or now if later"
          className="field-number"
          inputMode="numeric"
          rightSection={<span className="unit">days</span>}
          value={draft.graceDays}
          error={faultUnder('block_auth_grace_period_days')}
          onChange={(event) => onChange({ graceDays: event.currentTarget.value })}
        />
        <TextInput
          label="Not before"
          description="Nobody is blocked before this date (UTC)"
          className="field-day"
          type="date"
          value={draft.begins}
          error={faultUnder('begins_blocking_on')}
          onChange={(event) => onChange({ begins: event.currentTarget.value })}
        />
      </div>
      <div className="ticks">
        <Tick
          text="Owners may snooze for 24 h, once in 7 days"
          isOn={draft.maySnooze}
          onChange={(maySnooze) => onChange({ maySnooze })}
        />
        <Tick text="Owners may ask for an exemption" isOn={draft.mayAsk} onChange={(mayAsk) => onChange({ mayAsk })} />
        <Tick
          text="Paused: the check does not run and blocks nobody"
          isOn={draft.paused}
          onChange={(paused) => onChange({ paused })}
        />
      </div>
      <section className="section" aria-labelledby="where-it-applies">
        <h2 id="where-it-applies">Where it applies</h2>
        <LoadFailure what="Groups" query={groups} />
        <div className="field-pair">
          {groupFields.map(({ name, member, ...words }) => (
            <GroupPicker
              key={name}
              {...words}
              chosen={draft[name]}
              fault={faultUnder(member)}
              onChange={(groups) => onChange({ [name]: groups })}
            />
          ))}
        </div>
      </section>
      <section className="section" aria-labelledby="options-and-timing">
        <h2 id="options-and-timing">Options and timing</h2>
        <div className="option-fields">
          <OptionFields
            definitions={definitions}
            drafts={draft.options}
            faultUnder={faultUnder}
            onChange={(name, value) => onChange({ options: { ...draft.options, [name]: value } })}
          />
          {Object.keys(definitions).length > 0 && <p className="small faint">{results.trim()}</p>}
          <TextInput
            label="Run again at sign-in if the result is older than"
            className="field-number"
            inputMode="numeric"
            rightSection={<span className="unit">min</span>}
            value={draft.shelfLifeMinutes}
            error={faultUnder('auth_check_run_shelf_life_seconds')}
            onChange={(event) => onChange({ shelfLifeMinutes: event.currentTarget.value })}
          />
        </div>
      </section>
    </form>
  )
}

type TickParts = { readonly text: string; readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }

const Tick = ({ text, isOn, onChange }: TickParts) => (
  <label className="row">
    <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
    {text}
  </label>
)
