/** The nonce of this page, which the policy of the server requires of every style element. */

export function nonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property='csp-nonce']")?.nonce ?? "";
}

/** Libraries that were written for webpack look for it here. */
export function shareNonce(): void {
  (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce();
}
