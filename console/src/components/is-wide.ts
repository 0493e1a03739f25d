const maxWithoutTyping = 25
const shareWithoutTyping = 0.05

/** Whether so many of all devices are hit that their number is to be typed. */
export const isWide = (hit: number, all: number): boolean => hit > maxWithoutTyping || hit > all * shareWithoutTyping
