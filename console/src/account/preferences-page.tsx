import { useState } from 'react'
import { useChangePreferences, usePreferences } from '../components/preferences.ts'
import { Block } from '../components/section-frame.tsx'
import { chooseScheme, type SchemeChoice, schemeChoice } from '../shell/scheme.ts'
import { AccountFrame } from './account-frame.tsx'

const choices: readonly (readonly [SchemeChoice, string])[] = [
  ['auto', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function PreferencesPage() {
  const [choice, setChoice] = useState(schemeChoice())
  const { single_keys: hasLetters } = usePreferences()
  const change = useChangePreferences()
  return (
    <AccountFrame title="Preferences" lead="Appearance is saved in this browser, everything else with your account.">
      <Block title="Appearance">
        <fieldset className="choices" aria-label="Appearance">
          {choices.map(([value, text]) => (
            <label key={value} className="choice">
              <input
                type="radio"
                name="scheme"
                checked={choice === value}
                onChange={() => {
                  chooseScheme(value)
                  setChoice(value)
                }}
              />
              {text}
            </label>
          ))}
        </fieldset>
      </Block>
      <Block title="Keyboard">
        <label className="choice">
          <input
            type="checkbox"
            checked={hasLetters}
            onChange={(event) => {
              change.mutate({ single_keys: event.currentTarget.checked })
            }}
          />
          <span>
            Single-key shortcuts
            <small>
              <kbd>G</kbd> then a letter goes to a page, <kbd>/</kbd> searches, <kbd>?</kbd> shows all. Turn them off
              where speech or another tool types for you.
            </small>
          </span>
        </label>
      </Block>
    </AccountFrame>
  )
}
