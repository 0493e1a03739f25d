export const devicesInWords = (count: number): string =>
  count === 1 ? '1 device' : `${count.toLocaleString('en')} devices`
