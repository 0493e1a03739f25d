import { Button, Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../api/session.ts'
import { checksQuery } from '../checks/check-queries.ts'
import { FormFault } from '../components/form-fault.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { visibleText } from '../components/visible-text.ts'
import { useSettings } from './use-settings.ts'

const most = 20

/** Checks that have to pass before a first device is registered at once. */
export function RequiredChecks({ chosen: before }: { chosen: readonly string[] }) {
  const mayManage = useMay('manage_settings')
  const checks = useQuery(checksQuery({}))
  const [chosen, setChosen] = useState(before)
  const save = useSettings('Saved which checks first devices have to pass', () => {})
  const isChanged = chosen.length !== before.length || chosen.some((id) => !before.includes(id))
  const toggle = (id: string) => setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <Block
      title="Checks that a first device has to pass"
      about={`Until they pass, the sign-in page says what to fix and does not register the device. A check counts on the devices that it runs on. ${most} at most.`}
    >
      {checks.isError && (
        <Failure what="The checks could not be loaded." error={checks.error} onRetry={() => void checks.refetch()} />
      )}
      {checks.isPending && <SkeletonRows rows={4} />}
      {checks.data && (
        <form
          className="plain-form"
          onSubmit={(event) => {
            event.preventDefault()
            save.mutate({ registration_required_checks: [...chosen] })
          }}
        >
          <fieldset className="choices check-choices" disabled={!mayManage}>
            <legend className="hidden">Checks that a first device has to pass</legend>
            {checks.data.data.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={visibleText(name)}
                checked={chosen.includes(id)}
                disabled={!mayManage || (chosen.length >= most && !chosen.includes(id))}
                onChange={() => toggle(id)}
              />
            ))}
          </fieldset>
          <FormFault error={save.faultBeside} />
          {isChanged && (
            <div className="row">
              <Button onClick={() => setChosen(before)}>Discard</Button>
              <Button type="submit" variant="filled" loading={save.isPending}>
                {chosen.length === 0
                  ? 'Require no checks'
                  : `Require ${chosen.length} ${chosen.length === 1 ? 'check' : 'checks'}`}
              </Button>
            </div>
          )}
        </form>
      )}
    </Block>
  )
}
