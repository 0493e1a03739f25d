import { useState } from 'react'
import { useChangePreferences, usePreferences } from '../api/preferences.ts'
import { Block } from '../components/section-frame.tsx'
import { chooseScheme, type SchemeWish, schemeWish } from '../shell/scheme.ts'
import { AccountFrame } from './account-frame.tsx'

const wishes: readonly (readonly [SchemeWish, string])[] = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function PreferencesPage() {
  const [wish, setWish] = useState(schemeWish())
  const { single_keys: hasLetters } = usePreferences()
  const change = useChangePreferences()
  return (
    <AccountFrame title="Preferences" lead="Appearance is kept in this browser, the rest with your account.">
      <Block title="Appearance">
        <fieldset className="choices" aria-label="Appearance">
          {wishes.map(([value, text]) => (
            <label key={value} className="choice">
              <input
                type="radio"
                name="scheme"
                checked={wish === value}
                onChange={() => {
                  chooseScheme(value)
                  setWish(value)
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
            Single keys do something
            <small>
              <kbd>G</kbd> then a letter goes to a page, <kbd>/</kbd> searches, <kbd>?</kbd> shows all. Switch them off
              where speech or another tool types for you.
            </small>
          </span>
        </label>
      </Block>
    </AccountFrame>
  )
}
