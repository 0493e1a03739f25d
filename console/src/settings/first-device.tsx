import { Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { Block } from '../components/section-frame.tsx'
import { useSettings } from './use-settings.ts'

const ways = [
  [
    'trusted',
    'Immediately',
    'At sign-in through Muster, when they confirm that it is theirs: trust on first use, once.',
  ],
  ['decided', 'After approval', 'An administrator approves it, like every other device.'],
] as const

/** Whether the first device of a person waits for a decision. */
export function FirstDevice({ isTrusted }: { isTrusted: boolean }) {
  const mayManage = useMay('manage_settings')
  const before = isTrusted ? 'trusted' : 'decided'
  const [chosen, setChosen] = useState<(typeof ways)[number][0]>(before)
  const save = useSettings('Saved how first devices are registered', () => {})
  return (
    <Block
      title="A person’s first device is registered"
      about="Registered devices stay registered; waiting requests stay open."
    >
      <form
        className="plain-form"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ is_first_device_trusted: chosen === 'trusted' })
        }}
      >
        <fieldset className="choices" disabled={!mayManage}>
          <legend className="hidden">A person’s first device is registered</legend>
          {ways.map(([value, text, about]) => (
            <label key={value} className="choice">
              <input type="radio" name="first-device" checked={chosen === value} onChange={() => setChosen(value)} />
              <span>
                {text}
                <small>{about}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <FormFault error={save.faultBeside} />
        {chosen !== before && (
          <div className="row">
            <Button onClick={() => setChosen(before)}>Discard</Button>
            <Button type="submit" variant="filled" loading={save.isPending}>
              {chosen === 'trusted' ? 'Register first devices immediately' : 'Require approval for first devices'}
            </Button>
          </div>
        )}
      </form>
    </Block>
  )
}
