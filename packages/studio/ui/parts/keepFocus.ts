/**
 * Keeps the place of keyboard users: when what has the focus is removed or hidden, the nearest part around it
 * that can have the focus gets it, so that the next Tab goes on from there. Gives what ends that.
 */
export const keepFocus = (): (() => void) => {
  /** What has the focus, and all that is around it, from inside to outside. */
  let path: ReadonlyArray<HTMLElement> = []
  const remember = (event: FocusEvent): void => {
    path = event.composedPath().filter((one) => one instanceof HTMLElement)
  }
  const isThere = (element: HTMLElement): boolean => element.isConnected && element.checkVisibility()
  const observer = new MutationObserver(() => {
    const [focused, ...around] = path
    if (focused === undefined || isThere(focused)) return
    // A browser takes the focus from what is hidden a moment later.
    if (document.activeElement !== document.body && document.activeElement !== focused) return
    around.find((element) => element.hasAttribute("tabindex") && isThere(element))?.focus({ preventScroll: true })
  })
  document.addEventListener("focusin", remember)
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["class", "hidden"] })
  return () => {
    document.removeEventListener("focusin", remember)
    observer.disconnect()
  }
}
