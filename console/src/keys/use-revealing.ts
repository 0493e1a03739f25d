import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useAction } from '../components/use-action.ts'

/** Shows the secret of a key, on its page and in its row, until it is hidden or the page is left. */
export function useRevealing({ id }: ConsoleApiKey) {
  const [shown, setShown] = useState<string>()
  const { mutate, isPending } = useAction({
    act: () => api('revealApiKey', { params: { id } }),
    refresh: ['audit'],
    onDone: ({ key }) => setShown(key),
  })
  return { shown, isPending, reveal: () => mutate(), hide: () => setShown(undefined) }
}
