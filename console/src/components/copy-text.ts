import { toast } from './toasts.tsx'

/** Copies, and says that it did: "The ID 17 is copied". */
export async function copyText(text: string, name: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(`${name} copied`)
  } catch {
    // Browsers let pages copy only on https and localhost.
    toast(`${name} could not be copied: the browser does not allow it`, 'cross')
  }
}
