import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useAction } from '../components/use-action.ts'
import { AccountDialog } from './account-dialog.tsx'
import { type Account, inSteps, type Steps } from './in-steps.ts'

type Parts<Item> = {
  /** How many are asked for. */
  readonly total: number
  /** Called when someone begins. */
  readonly begin: (signal: AbortSignal) => Pick<Steps<Item>, 'batches' | 'step'>
  /** "2 devices are no longer registered". */
  readonly endOf: (account: Account) => string
  /** What goes back where something was refused. */
  readonly close: string
  /** Something was done. */
  readonly onChanged?: () => void
  /** Nothing was begun. */
  readonly onClose: () => void
  /** All was asked for. */
  readonly onDone: () => void
}

/** Something that is done to many devices: a part of a dialog that begins it, says how far it is, stops it, and gives an account. */
export function useSteps<Item>({ total, begin, endOf, close, onChanged, onClose, onDone }: Parts<Item>) {
  const [asked, setAsked] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  const isWhole = ({ refused, ended }: Account) => refused.length === 0 && ended === undefined
  const action = useAction<void, Account>({
    act: () => {
      const stop = new AbortController()
      stopping.current = stop
      return inSteps({ ...begin(stop.signal), signal: stop.signal, onProgress: setAsked })
    },
    refresh: ['devices', 'people', 'audit', 'settings'],
    said: (account) => (isWhole(account) ? endOf(account) : undefined),
    onDone: (account) => {
      onChanged?.()
      if (isWhole(account)) onDone()
    },
    hasForm: true,
  })
  useEffect(() => () => stopping.current?.abort(), [])
  const { data: account, isPending } = action
  const progress: ReactNode = isPending && (
    <p className="secondary tabular" role="status">
      {Math.min(asked, total).toLocaleString('en')} of {total.toLocaleString('en')} done
    </p>
  )
  return {
    account: account && <AccountDialog title={endOf(account)} account={account} close={close} onClose={onDone} />,
    progress,
    /** Of the dialog. */
    ends: {
      onClose: isPending ? () => stopping.current?.abort() : onClose,
      ...(isPending && { cancel: 'Stop' }),
      onConfirm: () => action.mutate(),
      isBusy: isPending,
      fault: action.faultBeside,
    },
  }
}
