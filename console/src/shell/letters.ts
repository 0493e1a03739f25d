const key = 'muster-letters'

/** Whether single keys do something; kept in this browser. */
export const areLettersOn = (): boolean => localStorage.getItem(key) !== 'off'

export function switchLetters(isOn: boolean): void {
  if (isOn) localStorage.removeItem(key)
  else localStorage.setItem(key, 'off')
}
