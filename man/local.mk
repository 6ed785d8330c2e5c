# SPDX-License-Identifier: ISC
dist_man_MANS += %D%/sallyport.1 %D%/sallyport.7 %D%/sallyport-bag.5
dist_man_MANS += %D%/sallyport-contract.5
dist_man_MANS += %D%/sallyport-pipeline.7
dist_man_MANS += %D%/sallyport-rules.5
# completions
bashcompdir = $(datadir)/bash-completion/completions
dist_bashcomp_DATA = %D%/completion/sallyport.bash
zshcompdir = $(datadir)/zsh/site-functions
dist_zshcomp_DATA = %D%/completion/_sallyport
fishcompdir = $(datadir)/fish/vendor_completions.d
dist_fishcomp_DATA = %D%/completion/sallyport.fish
