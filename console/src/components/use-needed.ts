import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toast } from './toasts.tsx'

/** What a dialog cannot do without; where it cannot be read, that is said and the dialog is given up. */
export function useNeeded<Data>({ data, error }: UseQueryResult<Data>, giveUp: () => void): Data | undefined {
  const fault = data === undefined ? error : null
  useEffect(() => {
    if (fault === null) return
    toast(fault.message, 'cross')
    giveUp()
  }, [fault, giveUp])
  return data
}
