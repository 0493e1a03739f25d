import { useEffect } from 'react'

/** "ana-ruiz-mbp14 · Devices · Muster" in the tab: the page, what it is part of, the product. */
export function useTabTitle(title: string, area?: string): void {
  const text = [title, area, 'Muster'].filter((part) => part !== undefined).join(' · ')
  useEffect(() => {
    document.title = text
  }, [text])
}
