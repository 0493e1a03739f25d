import { limitedPowers, restrictionsLeaving } from '@muster/contract/admin-powers.ts'
import { adminPresetNames, adminPresets, limitedReading, presetOf } from '@muster/contract/admin-presets.ts'
import type { AdminAccess } from '@muster/contract/admin-users.ts'
import { powerTexts } from './access-words.ts'

export type Rights = { readonly access: AdminAccess; readonly restrictions: readonly string[] }

const kinds: readonly (readonly [AdminAccess, string, string])[] = [
  ['full', 'Full', 'Full access, including revealing keys and managing administrators.'],
  ['limited', 'Limited', 'Can read everything and do what you select.'],
  ['billing_only', 'Billing only', 'Reads no records.'],
]

type Parts = {
  readonly rights: Rights
  readonly onChange: (rights: Rights) => void
  readonly fault?: string | undefined
}

/** What an administrator may do. Restrictions take away, so what is not ticked is one. */
export function AccessFields({ rights, onChange, fault }: Parts) {
  const toggle = (power: string) => {
    const isTaken = rights.restrictions.includes(power)
    const restrictions = isTaken
      ? rights.restrictions.filter((other) => other !== power)
      : [...rights.restrictions, power]
    onChange({ ...rights, restrictions })
  }
  return (
    <>
      <fieldset className="choices">
        <legend>Access</legend>
        {kinds.map(([value, text, about]) => (
          <label key={value} className="choice">
            <input
              type="radio"
              name="access"
              checked={rights.access === value}
              onChange={() =>
                onChange({ access: value, restrictions: value === 'limited' ? restrictionsLeaving([]) : [] })
              }
            />
            <span>
              {text}
              <small>{about}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {rights.access === 'limited' && <Presets rights={rights} onChange={onChange} />}
      {rights.access === 'limited' && (
        <fieldset className="choices powers">
          <legend>Can</legend>
          {limitedPowers.map((power) => (
            <label key={power} className="choice">
              <input type="checkbox" checked={!rights.restrictions.includes(power)} onChange={() => toggle(power)} />
              <span>
                {powerTexts[power].title}
                <small>{powerTexts[power].description}</small>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {fault !== undefined && (
        <p className="bad small" role="alert">
          {fault}
        </p>
      )}
    </>
  )
}

/** Ticks what a kind of work needs, and says what everyone with limited access reads. */
function Presets({ rights, onChange }: Pick<Parts, 'rights' | 'onChange'>) {
  const chosen = presetOf(rights.restrictions)
  return (
    <fieldset className="choices">
      <legend>For</legend>
      {adminPresetNames.map((name) => {
        const { title, description, powers } = adminPresets[name]
        return (
          <label key={name} className="choice">
            <input
              type="radio"
              name="preset"
              checked={chosen === name}
              onChange={() => onChange({ access: 'limited', restrictions: restrictionsLeaving(powers) })}
            />
            <span>
              {title}
              <small>{description}</small>
              <small>
                Can: {powers.length === 0 ? 'nothing' : powers.map((power) => powerTexts[power].title).join(', ')}.
              </small>
            </span>
          </label>
        )
      })}
      <label className="choice">
        <input type="radio" name="preset" checked={chosen === undefined} readOnly />
        <span>
          Custom
          <small>Only what you select below.</small>
        </span>
      </label>
      <p className="small secondary">
        <b>Reads:</b> {limitedReading.reads} <b>Never:</b> {limitedReading.never}
      </p>
    </fieldset>
  )
}
