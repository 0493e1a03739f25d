import { Button } from '@mantine/core'
import type { SettingFacts } from '@muster/contract/console-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { besideAfter } from '../components/form-fault.tsx'
import { Block } from '../components/section-frame.tsx'
import { nameOf } from './administrator-table.tsx'
import { administratorsQuery } from './administrators-query.ts'
import { useSettings } from './use-settings.ts'

const maxNamed = 5

/** Whether a password alone is enough for administrators. Says who would be hit before it is switched on. */
export function RequiredFactor({ facts }: { facts: SettingFacts }) {
  const { is_second_factor_required: isRequired } = facts.chosen
  const [maySettings, mayAdministrators] = [useMay('manage_settings'), useMay('manage_administrators')]
  const mayManage = maySettings && mayAdministrators
  const [isAsking, setIsAsking] = useState(false)
  const save = useSettings(
    isRequired ? 'A second factor is no longer required' : 'A second factor is required of all administrators',
    () => setIsAsking(false),
  )
  const list = useQuery({ ...administratorsQuery({ factor: 'missing' }), enabled: mayManage })
  const close = () => {
    setIsAsking(false)
    save.reset()
  }
  const fault = save.faultOf('is_second_factor_required')
  return (
    <Block
      title="Second factor required"
      about={
        isRequired
          ? 'Yes. Administrators without one set it up before anything else; an identity provider is responsible for those who use it.'
          : 'No. An administrator who has set up nothing else signs in with a password only.'
      }
      action={
        mayManage && <Button onClick={() => setIsAsking(true)}>{isRequired ? 'Stop requiring…' : 'Require…'}</Button>
      }
    >
      <ConfirmDialog
        isOpen={isAsking}
        onClose={close}
        question={isRequired ? 'Stop requiring a second factor?' : 'Require a second factor of all administrators?'}
        consequences={
          isRequired ? ['Where nothing else is set up, knowing the password is enough to sign in.'] : hitBy(list.data)
        }
        stays={
          isRequired
            ? 'Second factors already set up are still asked for.'
            : 'Sessions continue. Anyone locked out can be reset here, or with muster admins reset in the terminal.'
        }
        verb={isRequired ? 'Stop requiring' : 'Require a second factor'}
        isDangerous={isRequired}
        onConfirm={() => save.mutate({ is_second_factor_required: !isRequired })}
        isBusy={save.isPending}
        fault={besideAfter(fault && `It ${fault}.`, save.faultBeside)}
      />
    </Block>
  )
}

type Found = {
  readonly data: readonly { readonly first_name: string; readonly last_name: string }[]
  readonly pagination: { readonly next_cursor: string }
}

/** Names and number of those who have none. */
function hitBy(found: Found | undefined): string[] {
  if (found === undefined)
    return ['Administrators without one can only set one up. The list of them could not be loaded.']
  const { data, pagination } = found
  if (data.length === 0) return ['Nobody is affected: everyone has one.']
  const names = data.slice(0, maxNamed).map(nameOf)
  const rest = data.length - names.length
  const others = pagination.next_cursor === '' ? `${rest}` : `more than ${rest}`
  const who = rest > 0 ? `${names.join(', ')} and ${others} more` : names.join(', ')
  return [`${who} ${data.length === 1 ? 'has' : 'have'} none. From the next click on, they can only set one up.`]
}
